// Classical Runge-Kutta of order 4 with located contact events, one mass between elastic stops,
// as a program for veridyn.
//
//     veridyn doctor --solver "cmd:node runge_kutta.mjs"
//
// One JSON object per line comes in, one goes out; logs would go to standard error (console.error).
import { createInterface } from "node:readline";

const INTRODUCTION = {
  name: "runge-kutta-js",
  version: "1.0",
  capabilities: ["mechanical", "contact"],
  settings: { step: "largest step (s); default 1/50 rad of the fastest motion" },
  claims: { order: 4 },
  refinement: [{ step: 2e-4 }, { step: 1e-4 }, { step: 5e-5 }],
};

const gap = (stop, x) => stop.gap - (stop.normal[0] * x + stop.offset);

/** Return the system with the given stops closed: linear, whatever their gaps. */
function phase({ m, k, stops }, closed) {
  return ([x, v]) => {
    let f = -k * x;
    stops.forEach((stop, i) => {
      if (closed[i]) f += stop.normal[0] * stop.stiffness * gap(stop, x);
    });
    return [v, f / m];
  };
}

function step(f, y, h) {
  const along = (k, part) => y.map((value, i) => value + part * h * k[i]);
  const k1 = f(y);
  const k2 = f(along(k1, 1 / 2));
  const k3 = f(along(k2, 1 / 2));
  const k4 = f(along(k3, 1));
  return y.map((value, i) => value + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}

/** Return the stop that has opened or closed in state y, -1 if none has. */
const crossed = (stops, closed, y) => stops.findIndex((stop, i) => gap(stop, y[0]) < 0 !== closed[i]);

/** Advance by h; a step in which a stop opens or closes ends there. Returns [state, time taken]. */
function advance(system, closed, y, h) {
  const f = phase(system, closed);
  const whole = step(f, y, h);
  if (crossed(system.stops, closed, whole) < 0) return [whole, h];
  let [before, past] = [0, h];
  for (let i = 0; i < 60; ++i) {
    const middle = (before + past) / 2;
    if (crossed(system.stops, closed, step(f, y, middle)) < 0) before = middle;
    else past = middle;
  }
  const there = step(f, y, past);
  const stop = crossed(system.stops, closed, there);
  closed[stop] = !closed[stop];
  return [there, past];
}

function missing(problem) { // never answer another question in silence
  if (problem.modes || problem.initial_displacement.length > 1) return "several degrees of freedom";
  if (problem.damping[0][0] !== 0) return "damping";
  const foreign = ["loads", "supports", "frictions"].find((key) => problem[key].length);
  if (foreign) return foreign;
  if (problem.stops.some((s) => s.geometry !== "plane" || s.damping)) return "stops of this kind";
  return problem.output_times ? "" : "a choice of output instants of its own";
}

function response(problem, settings) {
  const system = { m: problem.mass[0][0], k: problem.stiffness[0][0], stops: problem.stops };
  const stiffest = system.k + system.stops.reduce((sum, s) => sum + s.normal[0] ** 2 * s.stiffness, 0);
  const largest = settings.step ?? (stiffest > 0 ? 0.02 / Math.sqrt(stiffest / system.m) : Infinity);
  let y = [problem.initial_displacement[0], problem.initial_velocity[0]];
  let [now, steps] = [problem.start, 0];
  const closed = system.stops.map((stop) => gap(stop, y[0]) < 0);
  const states = problem.output_times.map((instant) => {
    while (now < instant) {
      const rest = instant - now;
      const h = rest / Math.max(1, Math.ceil(rest / largest));
      let taken;
      [y, taken] = advance(system, closed, y, h);
      now = taken === rest ? instant : now + taken;
      ++steps;
    }
    return y;
  });
  const displacement = states.map(([x]) => x);
  const velocity = states.map(([, v]) => v);
  if (!states.flat().every(Number.isFinite)) throw new Error("diverged: the step is too long");
  const histories = (stop) => ({
    normal_force: displacement.map((x) => Math.max(0, -stop.stiffness * gap(stop, x))),
    normal_velocity: velocity.map((v) => -stop.normal[0] * v),
    gap: displacement.map((x) => gap(stop, x)),
  });
  const elements = Object.fromEntries(system.stops.map((stop) => [stop.name, histories(stop)]));
  return { time: problem.output_times, displacement, velocity, elements, counters: { steps } };
}

function solve({ id, problem, settings }) {
  const lacking = missing(problem);
  if (lacking) return { id, not_applicable: lacking };
  try {
    return { id, response: response(problem, settings) };
  } catch (error) {
    return { id, error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.command === "stop") break;
  const answer = message.command === "start" ? INTRODUCTION : solve(message);
  process.stdout.write(JSON.stringify(answer) + "\n");
}
