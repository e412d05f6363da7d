// Velocity Verlet for one mass between elastic stops, as a program for veridyn.
//
//     c++ -std=c++17 -O2 -o verlet verlet.cpp
//     veridyn doctor --solver cmd:./verlet
//
// One JSON object per line comes in, one goes out; logs would go to standard error.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

// ---- JSON: as much as the protocol needs ----

struct Json {
    double number = 0;
    std::string text;
    std::vector<Json> items;
    std::map<std::string, Json> fields;

    const Json& operator[](const std::string& key) const {
        static const Json nothing;
        auto found = fields.find(key);
        return found == fields.end() ? nothing : found->second;
    }
    double first() const { return items.empty() ? number : items[0].first(); }
};

class Reader {
    const char* p;

    char look() {
        while (std::isspace(static_cast<unsigned char>(*p))) ++p;
        return *p;
    }
    bool more(char end) {  // consumes the comma or the end
        if (look() == ',') ++p;
        if (look() != end) return true;
        ++p;
        return false;
    }
    std::string quoted() {  // escapes stay as they are: names are only handed back
        const char* start = ++p;
        for (; *p != '"'; ++p) p += *p == '\\';
        return std::string(start, p++);
    }

public:
    explicit Reader(const std::string& line) : p(line.c_str()) {}

    Json value() {
        Json j;
        switch (look()) {
        case '"': j.text = quoted(); break;
        case '[':
            for (++p; more(']');) j.items.push_back(value());
            break;
        case '{':
            for (++p; more('}');) {
                std::string key = quoted();
                look(), ++p;
                j.fields[key] = value();
            }
            break;
        case 'n': case 't': p += 4; break;
        case 'f': p += 5; break;
        default:
            char* end;
            j.number = std::strtod(p, &end);
            p = end;
        }
        return j;
    }
};

// ---- mechanics ----

struct Stop {
    std::string name;
    double normal, gap, stiffness, offset;

    double distance(double x) const { return gap - (normal * x + offset); }
    double push(double x) const { return std::max(0.0, -stiffness * distance(x)); }
};

struct System {
    double m, k;
    std::vector<Stop> stops;

    explicit System(const Json& problem) : m(problem["mass"].first()), k(problem["stiffness"].first()) {
        for (const Json& s : problem["stops"].items)
            stops.push_back({s["name"].text, s["normal"].first(), s["gap"].number, s["stiffness"].number,
                             s["offset"].number});
    }
    double acceleration(double x) const {
        double f = -k * x;
        for (const Stop& s : stops) f -= s.normal * s.push(x);
        return f / m;
    }
    double natural_step() const {  // 1/200 of the shortest time there is
        double stiffest = k;
        for (const Stop& s : stops) stiffest += s.normal * s.normal * s.stiffness;
        return stiffest > 0 ? 0.005 / std::sqrt(stiffest / m) : INFINITY;
    }
};

std::string missing(const Json& problem) {  // never answer another question in silence
    if (problem["initial_displacement"].items.size() != 1) return "several degrees of freedom";
    if (problem["damping"].first() != 0) return "damping";
    for (const char* key : {"loads", "supports", "frictions"})
        if (!problem[key].items.empty()) return key;
    for (const Json& s : problem["stops"].items)
        if (s["geometry"].text != "plane" || s["damping"].number > 0) return "stops of this kind";
    return problem["output_times"].items.empty() ? "a choice of output instants of its own" : "";
}

// ---- answers ----

template <class Function>
void print(const char* name, const std::vector<double>& values, Function f, const char* end) {
    std::cout << '"' << name << "\": [";
    for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i ? "," : "") << f(values[i]);
    std::cout << "]" << end;
}

void solve(const Json& question) {
    const Json& problem = question["problem"];
    std::cout << "{\"id\": " << static_cast<long>(question["id"].number) << ", ";
    if (std::string what = missing(problem); !what.empty()) {
        std::cout << "\"not_applicable\": \"" << what << "\"}\n";
        return;
    }
    const System s(problem);
    const double step = question["settings"]["step"].number;
    const double h = step > 0 ? step : s.natural_step();
    double now = problem["start"].number, x = problem["initial_displacement"].first();
    double v = problem["initial_velocity"].first(), a = s.acceleration(x);
    long steps = 0;
    std::vector<double> t, xs, vs;
    for (const Json& instant : problem["output_times"].items) {
        const double span = instant.number - now;
        const long parts = span > 0 ? static_cast<long>(std::max(1.0, std::ceil(span / h))) : 0;
        for (long i = 0; i < parts; ++i, ++steps) {
            v += span / parts / 2 * a;
            x += span / parts * v;
            a = s.acceleration(x);
            v += span / parts / 2 * a;
        }
        now = instant.number;
        t.push_back(now), xs.push_back(x), vs.push_back(v);
    }
    if (!std::isfinite(x)) {
        std::cout << "\"error\": \"diverged: the step is too long\"}\n";
        return;
    }
    const auto itself = [](double value) { return value; };
    std::cout << "\"response\": {";
    print("time", t, itself, ", ");
    print("displacement", xs, itself, ", ");
    print("velocity", vs, itself, ", \"elements\": {");
    for (const Stop& stop : s.stops) {
        std::cout << (&stop == &s.stops[0] ? "\"" : ", \"") << stop.name << "\": {";
        print("normal_force", xs, [&](double at) { return stop.push(at); }, ", ");
        print("normal_velocity", vs, [&](double rate) { return -stop.normal * rate; }, ", ");
        print("gap", xs, [&](double at) { return stop.distance(at); }, "}");
    }
    std::cout << "}, \"counters\": {\"steps\": " << steps << "}}}\n";
}

int main() {
    std::ios::sync_with_stdio(false);
    std::cout << std::setprecision(17);
    for (std::string line; std::getline(std::cin, line); std::cout.flush()) {
        const Json message = Reader(line).value();
        if (message["command"].text == "start")
            std::cout << R"({"name": "verlet-cpp", "version": "1.0", "capabilities": ["mechanical", "contact"], )"
                         R"("settings": {"step": "step (s); default 1/200 of the shortest time"}, )"
                         R"("claims": {"order": 2}, "refinement": [{"step": 1e-4}, {"step": 5e-5}, {"step": 2.5e-5}]})" << "\n";
        else if (message["command"].text == "solve")
            solve(message);
        else
            return 0;
    }
}
