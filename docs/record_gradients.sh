#!/bin/sh
# Asks the simulators of this machine for derivatives; what they answer goes into FOLDER, a file for each script.
#
#     sh docs/record_gradients.sh FOLDER [SCRIPT ...]
#
# Scripts of examples/gradients are run whose packages are there; one that takes an hour is ended. MuJoCo MJX and Brax
# compile for minutes; STEP=4e-5 and TOLERANCE=0 in the environment change step and tolerance of the first.
folder=${1:?folder of the results}
shift
wanted=" $* "
mkdir -p "$folder"
for script in examples/gradients/*_*.py; do
    name=$(basename "$script" .py)
    case "$wanted" in "  " | *" $name "*) ;; *) continue ;; esac
    JAX_PLATFORMS=cpu timeout 3600 python "$script" >"$folder/$name.jsonl" 2>"$folder/$name.log" ||
        echo "$name: $(tail -n 1 "$folder/$name.log")"
done
