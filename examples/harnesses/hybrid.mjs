// Classical Runge-Kutta of order 4 from event to event, for any ordinary or hybrid initial value problem,
// as a program for veridyn.
//
//     veridyn doctor --solver "cmd:node hybrid.mjs"
//     veridyn run bouncing_ball --solver "cmd:node hybrid.mjs"
//
// One JSON object per line comes in, one goes out; logs would go to standard error (console.error).
import { createInterface } from "node:readline";

const INTRODUCTION = {
  name: "hybrid-js",
  version: "1.0",
  capabilities: ["initial-value", "hybrid", "zeno"],
  settings: { step: "largest step (s); default 1/10000 of the span" },
  claims: { order: 4 },
  refinement: "step",
};
const MOST_EVENTS = 100000;
const ACCUMULATED = 1e-8; // of the span: events of a name that are so near to each other have reached their limit

// ---- expressions: JavaScript, but for -x**n, which it forbids, and the names of functions and of pi

const FUNCTIONS = ["sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"];
const LIBRARY = `const {${FUNCTIONS.join(",")}, PI: pi} = Math;`;

/** Return the function of (t, y) that gives the values of expressions. */
function compiled(problem, expressions) {
  const names = `const [${problem.states.join(",")}] = $y;`;
  const numbers = Object.entries(problem.parameters).map(([name, value]) => `const ${name} = ${ready(value)};`);
  const values = expressions.map(ready).join(",");
  return new Function("t", "$y", `${LIBRARY} ${numbers.join(" ")} ${names} return [${values}];`);
}

const ready = (text) => String(text).replace(/(^|\()\s*-/g, "$10-");

/** Return the states after a reset as a function of (t, y). */
const jump = (problem, reset) => compiled(problem, problem.states.map((name) => reset[name] ?? name));

// ---- modes

function mode(problem, { name, rates, events }) {
  const changes = events.filter((e) => e.mode || e.terminal || Object.keys(e.reset).length); // the others only mark
  const guards = compiled(problem, changes.map((e) => `${-e.direction}*(${e.guard})`)); // each falls at its event
  return { name, changes, guards, rates: compiled(problem, rates), jumps: changes.map((e) => jump(problem, e.reset)) };
}

function step(f, t, y, h) {
  const along = (k, part) => y.map((value, i) => value + part * h * k[i]);
  const k1 = f(t, y);
  const k2 = f(t + h / 2, along(k1, 1 / 2));
  const k3 = f(t + h / 2, along(k2, 1 / 2));
  const k4 = f(t + h, along(k3, 1));
  return y.map((value, i) => value + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}

/** Advance by h; a step in which a guard falls below zero ends there. Returns time taken, state, event (-1: none). */
function advance(now, t, y, h) {
  const armed = now.guards(t, y).map((value) => value >= 0);
  const fallen = (tau, state) => now.guards(t + tau, state).findIndex((value, i) => armed[i] && value < 0);
  const whole = step(now.rates, t, y, h);
  if (fallen(h, whole) < 0) return [h, whole, -1];
  let [before, past] = [0, h];
  for (let i = 0; i < 60; ++i) {
    const middle = (before + past) / 2;
    if (fallen(middle, step(now.rates, t, y, middle)) < 0) before = middle;
    else past = middle;
  }
  const there = step(now.rates, t, y, past);
  return [past, there, fallen(past, there)];
}

function missing(problem) { // never answer another question in silence
  if (problem.kind !== "initial value") return "a mechanical problem";
  if (problem.mass || problem.multipliers.length) return "a mass matrix or constraints";
  const changing = problem.modes.flatMap((m) => mode(problem, m).changes);
  if (changing.some((e) => e.direction === 0)) return "events in either direction";
  return problem.output_times ? "" : "a choice of output instants of its own";
}

// ---- answers

function response(problem, settings) {
  const modes = Object.fromEntries(problem.modes.map((each) => [each.name, mode(problem, each)]));
  const [events, before] = [{}, {}];
  const changing = Object.values(modes).flatMap((each) => each.changes);
  for (const { name } of changing) [events[name], before[name]] = [[], []];
  const limit = problem.accumulation;
  const [span, answer] = [problem.end - problem.start, { time: [], states: [], modes: [] }];
  const largest = settings.step ?? span / 10000;
  let [t, now, ended, steps, happened] = [problem.start, modes[problem.mode], false, 0, 0];
  let y = compiled(problem, problem.initial)(t, problem.states.map(() => 0));

  function happen(place) {
    const change = now.changes[place];
    const lapse = t - (events[change.name].at(-1) ?? -Infinity);
    events[change.name].push(t);
    before[change.name].push(y);
    if (++happened > MOST_EVENTS) throw new Error(`more than ${MOST_EVENTS} events before t = ${t} s`);
    const over = limit?.event === change.name && lapse < ACCUMULATED * span;
    y = (over ? jump(problem, limit.reset) : now.jumps[place])(t, y);
    now = modes[over ? limit.mode : change.mode || now.name];
    ended = change.terminal;
  }

  function sample(at, state) {
    if (!state.every(Number.isFinite)) throw new Error("diverged: the step is too long");
    answer.time.push(at), answer.states.push(state), answer.modes.push(now.name);
  }

  const [outputs, end] = [problem.output_times, problem.output_times.at(-1)];
  let next = outputs.findIndex((instant) => instant > t);
  if (outputs[0] <= t) sample(t, y);
  while (t < end && !ended) {
    const rest = end - t;
    const [taken, state, place] = advance(now, t, y, Math.min(largest, rest));
    const until = taken === rest ? end : t + taken;
    // outputs do not touch the steps: each is a shorter step of its own
    for (; outputs[next] < until; ++next) sample(outputs[next], step(now.rates, t, y, outputs[next] - t));
    [t, y] = [until, state];
    ++steps;
    if (place >= 0) happen(place);
    if (place >= 0 || outputs[next] === t) sample(t, y); // every event has a sample, with what begins there
    if (outputs[next] === t) ++next;
  }
  return { ...answer, events, before, counters: { steps } };
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
