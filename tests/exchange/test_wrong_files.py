"""Every wrong file: status 2, one line that names file, line, column and remedy."""

import re

import pytest

HEAD = "time [s],displacement_x [m]\n"


@pytest.fixture
def refused(command, table):
    """Check a text as results of a case; returns the message."""

    def check(text, case="sdnd101", *arguments):
        seen = command("check", case, table(text), *arguments)
        assert (seen.status, seen.out) == (2, "")
        assert seen.err.startswith("veridyn: ")
        assert seen.err.count("\n") == 1
        return seen.err

    return check


TEXTS = {
    "missing column": ("time [s]\n0\n1\n", r"line 1: no column displacement_x \[m\]; add it"),
    "neither form": ("t [s],x [m]\n0,0\n", "line 1: no column time .* and no column quantity"),
    "unknown column": (
        "time [s],displacment_x [m]\n0,0\n",
        "line 1: unknown column 'displacment_x'; did you mean displacement_x",
    ),
    "unlike any column": (
        "time [s],foo\n0,0\n",
        "unknown column 'foo'; known are time, displacement_x, velocity_x, stop",
    ),
    "column twice": ("time,displacement_x,displacement_x\n0,0,0\n", "column displacement_x appears twice"),
    "unknown unit": (
        "# hello\ntime [s],displacement_x [inch]\n0,0\n",
        r"line 2, column displacement_x: unknown unit \[inch\]; known are .*mm",
    ),
    "wrong unit": ("time [m],displacement_x [m]\n0,0\n", r"column time: unit \[m\] does not measure .* \[s\]"),
    "word": (HEAD + "0,0\n1e-4,x1\n", "line 3, column displacement_x: 'x1' is not a number; write"),
    "thousands": (
        "time [s];displacement_x [m]\n0;0\n1e-4;1.000,5\n",
        r"line 3, column displacement_x: '1.000,5' is not",
    ),
    "nan": (HEAD + "0,0\n\n1e-4,NaN\n", "line 4, column displacement_x: NaN is not finite"),
    "infinity": (HEAD + "0,0\n1e-4,-Inf\n", "line 3, column displacement_x: -Inf is not finite"),
    "time repeats": (
        HEAD + "0,0\n1e-4,0\n1e-4,0\n",
        "line 4, column time: time does not increase: 0.0001 s after 0.0001",
    ),
    "time goes back": (HEAD + "0,0\n1e-3,0\n1e-4,0\n", "line 4, column time: time does not increase.*sort the rows"),
    "late start": (
        HEAD + "1e-4,0\n0.6,0\n",
        "line 2, column time: the first instant is 0.0001 s.*add the initial state",
    ),
    "early end": (
        HEAD + "0,0\n1e-4,0\n",
        "line 3, column time: the last instant is 0.0001 s, 0.500857957 s is asked for",
    ),
    "hole": (
        HEAD + "0,0\n1e-4,0\n0.6,0\n",
        "line 4, column time: output instants are missing: 0.6 s since the row before",
    ),
    "no rows": (HEAD, "line 1: no rows below the header"),
    "empty": ("", "holds no table; its first line must name the columns"),
    "comments only": ("# time\n\n# nothing\n", "holds no table"),
    "no header": ("0 0\n1 1\n", "line 1: numbers where names are needed"),
    "short row": (HEAD + "0,0\n1\n", "line 3: 1 cells under 2 columns; fill the row"),
    "decimal comma": (HEAD + "0,0,0,0\n", "line 2: 4 cells under 2 columns; a decimal comma needs another separator"),
    "empty cell": ("time,displacement_x,velocity_x\n0,,0\n", "line 2, column displacement_x: '' is not a number"),
    "wrong quantity": (
        "quantity,value\npeak_forse,1\n",
        "line 2, column quantity: unknown quantity 'peak_forse'; did you mean peak_force",
    ),
    "quantity twice": ("quantity,value\nimpulse,1\nimpulse,1\n", "line 3, column quantity: impulse is given twice"),
    "no value column": ("quantity,valeu\nimpulse,1\n", "line 1: unknown column 'valeu'; did you mean value"),
    "values missing": ("quantity,unit\nimpulse,N s\n", "line 1: no column value; a table of quantities has"),
    "no values": ("quantity,value\nimpulse,\n", "no rows with values"),
    "no rows of values": ("quantity,value\n", "no rows with values"),
    "value is a word": ("quantity,value\nimpulse,big\n", "line 2, column value: 'big' is not a number"),
    "value is nan": ("quantity,value\nimpulse,nan\n", "line 2, column value: nan is not finite"),
    "unit of a value": ("quantity,value,unit\nimpulse,1,lb\n", r"line 2, column unit: unknown unit \[lb\]"),
    "unit of another": ("quantity,value,unit\nimpulse,1,kN\n", r"line 2, column unit: unit \[kN\] does not measure"),
}


@pytest.mark.parametrize(("text", "message"), TEXTS.values(), ids=TEXTS)
def test_wrong_text(refused, text, message):
    seen = refused(text)
    assert "results.csv" in seen
    assert re.search(message, seen), seen


def test_one_displacement_of_three(refused):
    seen = refused("time [s],displacement_NO2 [m]\n0,0\n1,0\n", "sdld103")
    assert "no column displacement_NO3 [m]; add it" in seen


ARGUMENTS = [
    (("sdnd101", "none.csv"), "cannot read none.csv: no such file"),
    (("sdnd1101", "none.csv"), "did you mean sdnd101"),
    (("sdnd104", "none.csv", "--variant", "a0=1.6"), r"no variant 'a0=1.6': did you mean a0=1.5\? known are a0=15"),
    (("sdld103", "none.csv", "--variant", "B"), "variant B of sdld103 asks nothing of a code; choose A"),
    (("sdnd101", "none.csv", "--set", "step=1e-3"), "unknown parameter 'step'"),
    (("sdnd101", "none.csv", "--set", "v1=1"), "v1.*did you mean v0"),
    (("sdnd101", "none.csv", "--set", "v0=2", "--variant", "100-shocks"), "100-shocks has no parameters to set"),
    (("sdnd101", "none.csv", "--json", ""), "--json: needs a name"),
    (("sdnd101",), "RESULTS.csv"),
]


@pytest.mark.parametrize(("arguments", "message"), ARGUMENTS, ids=lambda a: " ".join(a) if isinstance(a, tuple) else "")
def test_wrong_arguments(command, arguments, message):
    seen = command("check", *arguments)
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert re.search(message, seen.err), seen.err


GOOD = "quantity,value\nimpulse,1\n"
HISTORY = HEAD + "0,0\n0.6,0\n"


@pytest.mark.parametrize(
    ("texts", "arguments", "message"),
    [
        (
            (GOOD, GOOD, GOOD),
            (),
            r"3 files need --refine with as many levels, coarse to fine, e.g. step=0.01,0.005,0.0025",
        ),
        ((GOOD, GOOD, GOOD), ("--refine", "step"), "3 files need --refine with as many levels"),
        ((GOOD, GOOD, GOOD, GOOD), ("--refine", "step=3,2,1"), "4 files need --refine with as many levels"),
        ((GOOD,), ("--refine", "step=3,2,1"), "1 files need --refine with as many levels"),
        ((GOOD, GOOD), ("--refine", "step=2,1"), "--refine: 2 refinement levels; give 3 or more"),
        ((GOOD, GOOD, GOOD), ("--refine", "step=1,2,3"), "no setting decreases"),
        (
            (GOOD, HISTORY, GOOD),
            ("--refine", "step=3,2,1"),
            "1.csv: histories beside files of quantities; give files of one",
        ),
        ((GOOD,), ("--claim", "ordre=2"), "--claim: unknown claim 'ordre'; did you mean order"),
        ((GOOD,), ("--require", "many"), "requirement 'many': write digits=6 or rel=1e-6"),
    ],
)
def test_wrong_levels_and_claims(command, table, texts, arguments, message):
    files = [table(text, f"{i}.csv") for i, text in enumerate(texts)]
    seen = command("check", "sdnd101", *files, *arguments)
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert re.search(message, seen.err), seen.err


def test_a_folder_and_a_binary_file(command, tmp_path):
    assert "is a folder" in command("check", "sdnd101", tmp_path).err
    file = tmp_path / "results.xlsx"
    file.write_bytes(b"PK\x03\x04\0\0")
    seen = command("check", "sdnd101", file)
    assert (seen.status, "is not text; write a table" in seen.err) == (2, True)


def test_a_file_in_the_way_of_the_statement(command, table):
    seen = command("export", "sdnd101", "--output", table("precious"))
    assert (seen.status, "cannot write into" in seen.err) == (2, True)


def test_an_unknown_format(command):
    seen = command("export", "sdnd101", "--format", "xml")
    assert (seen.status, "xml" in seen.err) == (2, True)
