"""A program with every fault there is."""

import shlex
import sys

import pytest

from veridyn.solver.contract import programs as external

# Semi-exact answers to free flight and nothing else; the first argument says what goes wrong.
FAULTY = '''
import json, os, signal, subprocess, sys, time

fault, *rest = sys.argv[1:]

def say(text, end="\\n"):
    sys.stdout.write(text + end)
    sys.stdout.flush()

def read_once():
    """Tell whether this is the first time, over all starts; rest[0] is a file that remembers."""
    first = not os.path.exists(rest[0])
    open(rest[0], "a").close()
    return first

if fault == "note the process":
    open(os.path.join(rest[0], str(os.getpid())), "w").close()
if fault == "ends at once":
    sys.exit("no licence")
if fault == "logs before the start":
    print("Loading modules ...", flush=True)
if fault == "slow start":
    time.sleep(60)

LEVELS = [{"step": 4e-3}, {"step": 2e-3}, {"step": 1e-3}]
introduction = {"name": "fake", "version": "1.0", "capabilities": ["mechanical", "contact"]}
introduction |= {
    "protocol 2": {"protocol": 2},
    "no version": {"version": None},
    "capabilities are text": {"capabilities": "mechanical"},
    "refuses": {"error": "the licence\\nhas expired"},
    "two schemes": {"schemes": ["slow", "fast"]},
    "claims": {"claims": {"order": 2, "stability": "inf"}, "refinement": LEVELS},
    "claims of schemes": {"schemes": ["slow", "fast"], "claims": {"slow": {"order": 2}}, "refinement": "step"},
    "claims are a number": {"claims": 2},
    "refinement is a number": {"refinement": 3},
    "levels are numbers": {"refinement": [3, 2, 1]},
    "unknown claim": {"claims": {"ordre": 2}},
    "contradiction": {"claims": {"order": 2, "digits": 9}},
    "unknown method": {"claims": {"method": "newmrak"}},
    "two levels": {"refinement": LEVELS[:2]},
    "rising levels": {"refinement": LEVELS[::-1]},
    "misspelt capability": {"capabilities": ["mechanical", "contatc"]},
}.get(fault, {})
if fault == "introduction is a list":
    introduction = [1, 2]

for line in sys.stdin:
    message = json.loads(line)
    if message["command"] == "stop":
        if fault == "does not stop":
            time.sleep(60)
        break
    if message["command"] == "start":
        say(json.dumps(introduction))
        continue
    problem = message["problem"]
    t, x, v = problem["output_times"], problem["initial_displacement"][0], problem["initial_velocity"][0]
    answer = {"id": message["id"]}
    response = {"time": t, "displacement": [[x + v * s] for s in t], "velocity": [[v]] * len(t)}
    if fault == "hangs":
        print("iterating", file=sys.stderr, flush=True)
        time.sleep(60)
    if fault == "hangs once" and read_once():
        time.sleep(60)
    if fault == "leaves a child behind":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        open(rest[0], "w").write(str(child.pid))
        sys.exit(5)
    if fault == "exits":
        print("\\n".join(f"line {i}" for i in range(100)), file=sys.stderr)
        sys.exit(3)
    if fault == "exits once" and read_once():
        sys.exit(3)
    if fault == "is killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "closes its output":
        os.close(1)
        time.sleep(60)
    if fault == "garbage":
        say("step 1 of 100: residual 1e-3 \\x1b[1m" + "x" * 1000)
    if fault == "binary":
        sys.stdout.buffer.write(b"\\xff\\x00\\xfe\\n")
        sys.stdout.flush()
    if fault == "stops in a line":
        say(json.dumps(answer)[:-1], end="")
        break
    if fault == "wrong id":
        answer["id"] += 1
    if fault == "no id":
        del answer["id"]
    if fault == "empty answer":
        say(json.dumps(answer))
        continue
    if fault == "nan":
        response["displacement"][3] = [float("nan")]
    if fault == "null":
        response["displacement"][3] = [None]
    if fault == "too large":
        response["padding"] = "x" * 100_000
    if fault == "talks a lot":
        sys.stderr.write("x" * 3_000_000 + "\\n" + "y\\n" * 100_000)
    if fault == "says error":
        say(json.dumps(answer | {"error": "matrix is\\nsingular"}))
        continue
    if fault == "declines":
        say(json.dumps(answer | {"not_applicable": "contact at time zero"}))
        continue
    if fault == "echo":
        response["counters"] = {"setting": message["settings"].get("step", 0)}
    say(json.dumps(answer | {"response": response}))
'''


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """Return the command of the faulty program."""
    file = tmp_path_factory.mktemp("program") / "faulty program.py"
    file.write_text(FAULTY, encoding="utf-8")
    return lambda *arguments: shlex.join([sys.executable, str(file), *map(str, arguments)])


@pytest.fixture
def start(program):
    """Start the faulty program as a solver; it is closed after the test."""
    started = []

    def begin(*arguments):
        started.append(external.ExternalSolver(program(*arguments)))
        return started[-1]

    yield begin
    for solver in started:
        solver.close()
