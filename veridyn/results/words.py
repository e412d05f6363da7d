"""Words of a result document that have a fixed choice; each is a string, written as it stands here."""

from enum import StrEnum


class Verdict(StrEnum):
    """How a check ended, the worst first: the order of every table."""

    ERROR = "error"
    HARNESS_ERROR = "harness error"
    FAIL = "fail"
    EXPECTED_FAILURE = "expected failure"
    NOT_APPLICABLE = "not applicable"
    PASS = "pass"


class Layer(StrEnum):
    """What a check compares with, in the order of every list."""

    CRITERION = "criterion"
    CONVERGENCE = "convergence"
    CLAIM = "claim"
    INVARIANCE = "invariance"
    BASELINE = "baseline"


class ErrorKind(StrEnum):
    """Measure of an error and of its tolerance; empty where nothing was measured."""

    RELATIVE = "relative"
    ABSOLUTE = "absolute"
    EXACT = "exact"
    NONE = ""


class Profile(StrEnum):
    """What a run was asked for."""

    QUICK = "quick"
    SELECTION = "selection"
    ALL = "all"
    COMPARISON = "comparison"


class MessageKind(StrEnum):
    """What a remark on a run is about."""

    NOTE = "note"
    CARD = "card"
    HINT = "hint"
    GAP = "gap"
    UNTESTED = "untested"


class CauseKind(StrEnum):
    """What failures have in common."""

    ERROR = "error"
    FACTOR = "factor"
    COARSE = "coarse"
    FEATURE = "feature"
    CLAIM = "claim"
    INVARIANCE = "invariance"
    CASE = "case"


CARD = "identification"
"""The case of checks that hold claims against the card of a solver; no case of the catalogue has this name."""


class FingerprintKind(StrEnum):
    """What a hash is the hash of."""

    SOLVER = "solver"
    SUITE = "suite"
    INPUT = "input"
    ANSWERS = "answers"
    ENVIRONMENT = "environment"


class PrintedVerdict(StrEnum):
    """What a published value is worth."""

    REPRODUCED = "reproduced"
    MISPRINT = "misprint"
    INACCURATE = "inaccurate"


class Role(StrEnum):
    """What a curve of a figure is; fixes its look."""

    REFERENCE = "reference"
    COMPUTED = "computed"
    ERROR = "error"
    LIMIT = "limit"
    GUIDE = "guide"


class Scale(StrEnum):
    """Scale of an axis."""

    LINEAR = "linear"
    LOG = "log"


class Side(StrEnum):
    """Where something stands that a mass, or two, may meet."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


class BeamSide(StrEnum):
    """Where a stop of a beam stands."""

    BELOW = "below"
    ABOVE = "above"


class Holding(StrEnum):
    """How a beam is held at a place."""

    PIN = "pin"
    ROLLER = "roller"
    CLAMP = "clamp"


class Ink(StrEnum):
    """What a line of a sketch is; fixes its look."""

    LINE = "line"
    THIN = "thin"
    DASHED = "dashed"
    BODY = "body"
    PLANE = "plane"
    DOT = "dot"
    MOTION = "motion"
    CONTACT = "contact"


class Anchor(StrEnum):
    """Which part of a line of text stands at its place."""

    START = "start"
    MIDDLE = "middle"
    END = "end"
