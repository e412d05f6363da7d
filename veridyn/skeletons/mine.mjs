// mine: a solver in JavaScript, to put yours in its place. It runs as it is:
//
//     veridyn doctor --solver "cmd:node mine.mjs"
//     veridyn run --quick --solver "cmd:node mine.mjs"
//
// Newmark's average acceleration, Newton's method in every step.
import { createInterface } from "node:readline";

const INTRODUCTION = {
  name: "mine",
  version: "0.1",
  capabilities: ["mechanical", "multi-dof", "damping", "damping:coupled", "contact"],
  settings: { fraction: "step over the shortest time, a period over 2 pi; default 0.005" },
  refinement: [{ fraction: 0.02 }, { fraction: 0.01 }, { fraction: 0.005 }, { fraction: 0.0025 }],
  claims: { order: 2, method: "newmark", beta: "1/4", gamma: "1/2" },
};

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const times = (matrix, x) => matrix.map((row) => dot(row, x));
const gap = (stop, x) => stop.gap - (dot(stop.normal, x) + stop.offset);
const push = (stop, x) => Math.max(0, -stop.stiffness * gap(stop, x)); // N, never negative

/** Return the solution of a linear system, by elimination with pivots. */
function solveLinear(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let k = 0; k < rows.length; ++k) {
    const pivot = rows.reduce((best, row, i) => (i > k && Math.abs(row[k]) > Math.abs(rows[best][k]) ? i : best), k);
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < rows.length; ++i) {
      if (i === k) continue;
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= rows.length; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, i) => row[rows.length] / row[i]);
}

/** Return Newton's correction of the acceleration a that belongs to (x, v) at the end of a step of length h. */
function correction(problem, h, x, v, a) {
  const { mass, damping, stiffness, stops } = problem;
  const [inertia, damper, spring] = [times(mass, a), times(damping, v), times(stiffness, x)];
  const pushes = stops.map((stop) => push(stop, x));
  const right = x.map((_, i) => {
    const ofStops = stops.reduce((sum, stop, k) => sum + stop.normal[i] * pushes[k], 0);
    return -inertia[i] - damper[i] - spring[i] - ofStops;
  });
  const slope = mass.map((row, i) =>
    row.map((value, j) => {
      const closed = stops.reduce((k, s, m) => k + (pushes[m] > 0 ? s.normal[i] * s.normal[j] * s.stiffness : 0), 0);
      return value + (h / 2) * damping[i][j] + ((h * h) / 4) * (stiffness[i][j] + closed);
    }),
  );
  return solveLinear(slope, right);
}

function step(problem, h, [x, v, a]) {
  let next = a;
  const ahead = () => x.map((value, i) => value + h * v[i] + ((h * h) / 4) * (a[i] + next[i]));
  const rate = () => v.map((value, i) => value + (h / 2) * (a[i] + next[i]));
  for (let pass = 0; pass < 30; ++pass) {
    const change = correction(problem, h, ahead(), rate(), next);
    next = next.map((value, i) => value + change[i]);
    if (change.every((value, i) => Math.abs(value) <= 1e-13 * Math.abs(next[i]))) break;
  }
  return [ahead(), rate(), next];
}

/** Return a bound on the largest circular frequency (rad/s), all stops closed. */
function fastest({ mass, stiffness, stops }) {
  const rows = mass.map(() => 0);
  stiffness.forEach((_, j) => {
    const column = stiffness.map((row, i) => row[j] + dot(stops.map((s) => s.normal[i] * s.normal[j]), stops.map((s) => s.stiffness)));
    solveLinear(mass, column).forEach((value, i) => (rows[i] += Math.abs(value)));
  });
  return Math.sqrt(Math.max(...rows));
}

function respond(problem, settings) {
  const largest = (settings.fraction ?? 0.005) / fastest(problem);
  const [x, v] = [problem.initial_displacement, problem.initial_velocity];
  let [state, now, steps] = [[x, v, correction(problem, 0, x, v, x.map(() => 0))], problem.start, 0];
  const states = problem.output_times.map((instant) => {
    const parts = instant > now ? Math.max(1, Math.ceil((instant - now) / largest - 1e-9)) : 0;
    for (let part = 0; part < parts; ++part, ++steps) state = step(problem, (instant - now) / parts, state);
    now = instant;
    return state;
  });
  if (!states.flat(2).every(Number.isFinite)) throw new Error("it diverged: take a smaller step");
  const histories = (stop) => ({
    normal_force: states.map(([place]) => push(stop, place)),
    normal_velocity: states.map(([, rate]) => -dot(stop.normal, rate)),
    gap: states.map(([place]) => gap(stop, place)),
  });
  return {
    time: problem.output_times,
    displacement: states.map(([place]) => place),
    velocity: states.map(([, rate]) => rate),
    elements: Object.fromEntries(problem.stops.map((stop) => [stop.name, histories(stop)])),
    counters: { steps },
  };
}

/** Return what the problem has and this solver does not treat: never answer another question in silence. */
function lacking(problem) {
  const foreign = ["loads", "supports", "frictions", "devices", "varying"].find((key) => problem[key].length);
  if (problem.modes || foreign) return foreign ?? "modes";
  if (problem.stops.some((stop) => stop.geometry !== "plane" || stop.damping)) return "stops of this kind";
  return problem.output_times ? "" : "a choice of output instants of its own";
}

function answer({ id, problem, settings }) {
  if (lacking(problem)) return { id, not_applicable: lacking(problem) };
  try {
    return { id, response: respond(problem, settings) };
  } catch (error) {
    return { id, error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.command === "stop") break;
  process.stdout.write(JSON.stringify(message.command === "start" ? INTRODUCTION : answer(message)) + "\n");
}
