#!/bin/sh
# Runs the solvers of this machine, and writes the summary from which the page that compares them is made.
#
#     sh docs/record_solvers.sh FOLDER [SOLVER ...]
#
# Results go into FOLDER, of the named solvers or of all, a file for each case; the summary is FOLDER/summary/solvers.json.
# What is not installed, fails or takes five minutes is told in a line and left out; what is there already stays.
folder=${1:?folder of the results}
shift
wanted=" $* "
mkdir -p "$folder/bin" "$folder/summary"
programs=examples/harnesses

contact="incline_block/stops plane_slide/across block_stack/lags shaking_plane/circle"
impact="grazing_impact/deeper restitution_grid/e=3/4 tripped_block/tips_over"
equations="bouncing_ball/lossy belt_stick_slip/slow den_hartog/long_stick shaw_holmes/stable duffing_free/hardening
    pendulum/libration kepler/detest_d5 van_der_pol/one hunt_crossley/half elastoplastic/step two_state_model/comparison"
stops="sdnd101/2-shocks sdnd104/a0=1.5 damped_stop/light"
bodies="sdnd101/2-shocks sdnd102/c sdld29/proportional sdld31/31b sdld103/A bar_impact/4-masses"

# record NAME SOLVER CASE/VARIANT...
record() {
    name=$1 solver=$2
    shift 2
    case "$wanted" in "  " | *" $name "*) ;; *) return 0 ;; esac
    for one in "$@"; do
        file="$folder/$name-${one%%/*}"
        [ -s "$file.json" ] && continue
        timeout 290 veridyn run "${one%%/*}" --variant "${one#*/}" --solver "$solver" --work-precision --quiet \
            --json "$file.json" >"$file.log" 2>&1
        [ -s "$file.json" ] || echo "$name, $one: $(tail -n 1 "$file.log")"
    done
}

# shellcheck disable=SC2086
{
    for solver in scipy sundials heyoka; do record $solver $solver $contact $impact $equations $stops; done
    for solver in casadi diffrax; do record $solver $solver $impact $equations; done
    for solver in sundials_ida scipy_dae; do record $solver $solver andrews/index-2; done
    for solver in mujoco_scene drake_scene; do record $solver $solver $contact; done
    record pybullet_scene pybullet_scene $contact $impact
    for solver in mujoco drake pybullet exudyn siconos opensees newton; do record $solver $solver $contact $stops; done
    record calculix calculix $stops
    if command -v cc >/dev/null; then
        cc -std=c99 -O2 -o "$folder/bin/hybrid" $programs/hybrid.c -lm
        c++ -std=c++17 -O2 -o "$folder/bin/verlet" $programs/verlet.cpp
        pkg-config --exists simbody &&
            c++ -O2 -o "$folder/bin/simbody" $programs/simbody.cpp $(pkg-config --cflags --libs simbody)
        record simbody "cmd:$folder/bin/simbody" $bodies
        record c "cmd:$folder/bin/hybrid" $impact $equations
        record cpp "cmd:$folder/bin/verlet" $stops
    fi
    record javascript "cmd:node $programs/hybrid.mjs" $impact $equations
    record octave "cmd:octave-cli --quiet --no-init-file $programs/octave_odes.m" $impact $equations
}

python docs/solvers_page.py "$folder"/*.json --output "$folder/summary/solvers.json"
