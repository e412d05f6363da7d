# mine: a solver in Julia, to put yours in its place. NOT TRIED: nobody had a Julia at hand when it was written; begin with
# the doctor, which says what is wrong. It needs the package JSON: julia -e 'import Pkg; Pkg.add("JSON")'
#
#     veridyn doctor --solver "cmd:julia mine.jl"
#     veridyn run --quick --solver "cmd:julia mine.jl"
#
# Newmark's average acceleration, Newton's method in every step.
import JSON
using LinearAlgebra

const INTRODUCTION = Dict(
    "name" => "mine",
    "version" => "0.1",
    "capabilities" => ["mechanical", "multi-dof", "damping", "damping:coupled", "contact"],
    "settings" => Dict("fraction" => "step over the shortest time, a period over 2 pi; default 0.005"),
    "refinement" => [Dict("fraction" => f) for f in (0.02, 0.01, 0.005, 0.0025)],
    "claims" => Dict("order" => 2, "method" => "newmark", "beta" => "1/4", "gamma" => "1/2"),
)

struct Stop
    name::String
    normal::Vector{Float64}
    gap::Float64
    stiffness::Float64
    offset::Float64
end

gap(s::Stop, x) = s.gap - (dot(s.normal, x) + s.offset)
force(s::Stop, x) = max(0.0, -s.stiffness * gap(s, x))  # N, never negative

matrix(rows) = Float64[rows[i][j] for i in eachindex(rows), j in eachindex(rows)]

struct Problem
    mass::Matrix{Float64}
    damping::Matrix{Float64}
    stiffness::Matrix{Float64}
    stops::Vector{Stop}
end

function Problem(raw)
    stops = [Stop(s["name"], s["normal"], s["gap"], s["stiffness"], s["offset"]) for s in raw["stops"]]
    return Problem(matrix(raw["mass"]), matrix(raw["damping"]), matrix(raw["stiffness"]), stops)
end

"Return Newton's correction of the acceleration a that belongs to (x, v) at the end of a step of length h."
function correction(p, h, x, v, a)
    right = -p.mass * a - p.damping * v - p.stiffness * x
    slope = p.mass + h / 2 * p.damping + h^2 / 4 * p.stiffness
    for s in p.stops
        if gap(s, x) < 0
            right -= s.normal * force(s, x)
            slope += h^2 / 4 * s.stiffness * s.normal * s.normal'
        end
    end
    return slope \ right
end

function advance(p, h, x, v, a)
    new = a
    for _ in 1:30
        change = correction(p, h, x + h * v + h^2 / 4 * (a + new), v + h / 2 * (a + new), new)
        new += change
        all(abs.(change) .<= 1e-13 .* abs.(new)) && break
    end
    return x + h * v + h^2 / 4 * (a + new), v + h / 2 * (a + new), new
end

"Return the largest circular frequency (rad/s), all stops closed."
function fastest(p)
    closed = sum((s.stiffness * s.normal * s.normal' for s in p.stops); init=zero(p.mass))
    return sqrt(maximum(abs, eigvals(p.mass \ (p.stiffness + closed))))
end

function respond(raw, settings)
    p = Problem(raw)
    largest = get(settings, "fraction", 0.005) / fastest(p)
    x, v = Float64.(raw["initial_displacement"]), Float64.(raw["initial_velocity"])
    a = correction(p, 0.0, x, v, zero(x))
    now, steps, states = Float64(raw["start"]), 0, []
    for instant in raw["output_times"]
        parts = instant > now ? max(1, ceil(Int, (instant - now) / largest - 1e-9)) : 0
        h = (instant - now) / max(parts, 1)
        for _ in 1:parts
            x, v, a = advance(p, h, x, v, a)
        end
        now, steps = instant, steps + parts
        push!(states, (x, v))
    end
    all(state -> all(isfinite, state[1]), states) || error("it diverged: take a smaller step")
    histories(s) = Dict(
        "normal_force" => [force(s, x) for (x, _) in states],
        "normal_velocity" => [-dot(s.normal, v) for (_, v) in states],
        "gap" => [gap(s, x) for (x, _) in states],
    )
    return Dict(
        "time" => raw["output_times"],
        "displacement" => first.(states),
        "velocity" => last.(states),
        "elements" => Dict(s.name => histories(s) for s in p.stops),
        "counters" => Dict("steps" => steps),
    )
end

"Return what the problem has and this solver does not treat: never answer another question in silence."
function lacking(raw)
    for key in ("loads", "supports", "frictions", "devices", "varying")
        isempty(raw[key]) || return key
    end
    raw["mass"] === nothing && return "modes"
    any(s -> s["geometry"] != "plane" || s["damping"] != 0, raw["stops"]) && return "stops of this kind"
    return raw["output_times"] === nothing ? "a choice of output instants of its own" : ""
end

function answer(message)
    missing_part = lacking(message["problem"])
    isempty(missing_part) || return Dict("id" => message["id"], "not_applicable" => missing_part)
    try
        return Dict("id" => message["id"], "response" => respond(message["problem"], message["settings"]))
    catch failure
        return Dict("id" => message["id"], "error" => sprint(showerror, failure))
    end
end

for line in eachline(stdin)
    message = JSON.parse(line)
    message["command"] == "stop" && break
    println(JSON.json(message["command"] == "start" ? INTRODUCTION : answer(message)))
    flush(stdout)
end
