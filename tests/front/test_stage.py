"""How far a run is beside the checks: lines in a pipe."""

import time

from veridyn.run import screen


def test_a_stage_tells_in_a_pipe_what_is_done(capsys, monkeypatch):
    monkeypatch.setattr(screen, "FIRST", 0.01)
    with screen.stage(3, "figures") as advance:
        advance("sdnd101")
        time.sleep(0.2)
    assert "figures: 1 of 3, sdnd101" in capsys.readouterr().err


def test_a_silent_stage_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr(screen, "FIRST", 0.01)
    with screen.stage(3, "figures", silent=True) as advance:
        advance("sdnd101")
        time.sleep(0.1)
    assert capsys.readouterr().err == ""
