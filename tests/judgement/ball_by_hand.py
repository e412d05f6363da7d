"""A bouncing ball by hand: flights are parabolas, derivatives follow them. Right, and wrong in one term each."""

import math

import numpy as np

from veridyn.problem.tangent import Tangent
from veridyn.problem.variations import differentiate_start

SHORTEST = 1e-7  # s; of a flight: then the ball rests


class Ball:
    name, version, moves = "by hand", "1", True  # moves: whether the instant of an impact does
    capabilities = frozenset({"initial-value", "hybrid", "zeno", "derivatives:forward", "derivatives:reverse"})
    excess = 0.0  # of the restitution: all answers are wrong then, and their derivatives are right

    def solve(self, problem, settings):
        return self.solve_tangent(problem, Tangent("", {}), settings)["response"]

    def bounce(self, e, v, dv, de):
        """Return the velocity after an impact, and its derivative."""
        return -e * v, -de * v - e * dv

    def solve_tangent(self, problem, tangent, settings):
        g, _, e = problem.parameter_numbers
        e += self.excess
        dg, _, de = (tangent.numbers.get(name, 0.0) for name in problem.parameters)
        (impact,) = problem.modes[0].events
        places = sorted((0, 1), key=lambda place: problem.states[place] != str(impact.guard))  # of height and velocity
        t, (y, v), (dy, dv) = (
            problem.start,
            *(part[places].tolist() for part in (problem.initial_state, differentiate_start(problem, tangent))),
        )
        rows, impacts, outputs = [], [], list(problem.output_times)
        while outputs:
            lapse = (v + math.sqrt(v * v + 2 * g * y)) / g
            if lapse < SHORTEST:
                rows += [(each, 0.0, 0.0, 0.0, 0.0) for each in outputs]
                break
            while outputs and outputs[0] < t + lapse:
                s = outputs[0] - t
                fall = (y + v * s - g * s * s / 2, v - g * s, dy + dv * s - dg * s * s / 2, dv - dg * s)
                rows.append((outputs.pop(0), *fall))
            if not outputs:
                break
            down, fall, ddown = v - g * lapse, dy + dv * lapse - dg * lapse**2 / 2, dv - dg * lapse
            move = -fall / down if self.moves else 0.0
            t, y = t + lapse, 0.0
            v, after = self.bounce(e, down, ddown - g * move, de)  # the derivative on the instant, which moves
            dy, dv = -v * move, after + g * move  # and at the fixed instant, from which the next flight begins
            rows.append((t, y, v, 0.0, after))
            impacts.append((t, move))
        rows, impacts = np.array(rows), np.array(impacts).reshape(-1, 2)
        states, slopes = (part[:, np.argsort(places)] for part in (rows[:, 1:3], rows[:, 3:]))
        modes = [problem.modes[0 if any(state) else -1].name for state in states]  # in flight, at rest
        return {
            "response": {"time": rows[:, 0], "states": states, "events": {impact.name: impacts[:, 0]}, "modes": modes},
            "tangent": {"states": slopes, "events": {impact.name: impacts[:, 1]}},
        }

    def solve_cotangent(self, problem, cotangents, numbers, settings):
        pairs = {number: self.solve_tangent(problem, Tangent(number, {number: 1.0}), settings) for number in numbers}
        return {
            number: sum(weight * self.read(problem, pair, output) for output, weight in cotangents.items())
            for number, pair in pairs.items()
        }

    def read(self, problem, pair, output):
        name, _, number = output.partition("#")
        if number:
            return pair["tangent"]["events"][name][int(number) - 1]
        name, _, at = output.partition("@")
        (place,) = np.flatnonzero(pair["response"]["time"] == float(at))
        return pair["tangent"]["states"][place, problem.states.index(name)]


class Unmoved(Ball):
    moves = False


class Bare(Ball):
    def bounce(self, e, v, dv, de):
        return -e * v, -e * dv


class Cut(Ball):
    def solve_tangent(self, problem, tangent, settings):
        pair = super().solve_tangent(problem, tangent, settings)
        return {**pair, "tangent": {"states": 0 * pair["tangent"]["states"], "time": 0 * pair["response"]["time"]}}


class Livelier(Ball):
    excess = 1e-2


class Missing:
    name, version, capabilities = "missing", "1", frozenset({"initial-value", "derivatives:forward"})

    def solve(self, problem, settings):
        raise NotImplementedError
