#!/bin/sh
# Runs the solvers that are installed on this machine, and writes docs/solvers.json, from which the page that compares them
# is made. `sh docs/record_solvers.sh FOLDER [SOLVER ...]`: results into FOLDER, of the named solvers or of all; a solver
# that is not installed is left out. Needs the harness programs in FOLDER/bin (compiled here if a compiler is there).
folder=${1:?folder of the results}
shift
wanted=" $* "
mkdir -p "$folder/bin"
programs=examples/harnesses

chosen() { [ "$wanted" = "  " ] || case "$wanted" in *" $1 "*) true ;; *) false ;; esac }

# record NAME SOLVER VARIANTS CASES: variants of these names in these cases, in less than five minutes
record() {
    chosen "$1" || return 0
    names=$(for variant in $3; do printf ' --variant %s' "$variant"; done)
    # shellcheck disable=SC2086
    timeout 290 veridyn run $4 --solver "$2" $names --work-precision --quiet --json "$folder/$1-$5.json" >"$folder/$1-$5.log" 2>&1
    [ -s "$folder/$1-$5.json" ] || echo "$1 $5: $(tail -n 1 "$folder/$1-$5.log")"
}

contact="incline_block plane_slide block_stack shaking_plane"
contact_variants="stops across lags circle"
impact="grazing_impact restitution_grid tripped_block"
impact_variants="deeper e=3/4 tips_over"
equations="bouncing_ball belt_stick_slip den_hartog shaw_holmes duffing_free pendulum kepler van_der_pol hunt_crossley elastoplastic"
equation_variants="lossy slow long_stick stable hardening libration detest_d5 one half step"
stops="sdnd101 sdnd104 damped_stop"
stop_variants="2-shocks a0=1.5 light"

phenomena() { record "$1" "$2" "$contact_variants" "$contact" contact; }
impacts() { record "$1" "$2" "$impact_variants" "$impact" impact; }
equations() { record "$1" "$2" "$equation_variants" "$equations" equations; }
stops() { record "$1" "$2" "$stop_variants" "$stops" stops; }

for solver in scipy sundials heyoka; do phenomena $solver $solver; impacts $solver $solver; equations $solver $solver; stops $solver $solver; done
for solver in casadi diffrax; do impacts $solver $solver; equations $solver $solver; done
for solver in sundials_ida scipy_dae; do record $solver $solver "index-2" andrews dae; done
for solver in mujoco_scene pybullet_scene drake_scene; do phenomena $solver $solver; done
impacts pybullet_scene pybullet_scene
for solver in mujoco drake pybullet exudyn siconos opensees newton; do phenomena $solver $solver; stops $solver $solver; done
stops calculix calculix

cc -std=c99 -O2 -o "$folder/bin/hybrid" $programs/hybrid.c -lm
c++ -std=c++17 -O2 -o "$folder/bin/verlet" $programs/verlet.cpp
if pkg-config --exists simbody; then
    # shellcheck disable=SC2046
    c++ -O2 -o "$folder/bin/simbody" $programs/simbody.cpp $(pkg-config --cflags --libs simbody)
    stops simbody "cmd:$folder/bin/simbody"
fi
impacts c "cmd:$folder/bin/hybrid"
equations c "cmd:$folder/bin/hybrid"
impacts javascript "cmd:node $programs/hybrid.mjs"
equations javascript "cmd:node $programs/hybrid.mjs"
stops cpp "cmd:$folder/bin/verlet"
impacts octave "cmd:octave-cli --quiet --no-init-file $programs/octave_odes.m"
equations octave "cmd:octave-cli --quiet --no-init-file $programs/octave_odes.m"

python -m veridyn.reports.side_by_side "$folder"/*.json --output "$folder/solvers.json"
