// Simbody 3.7 as a program for veridyn: its joints, springs, limit stops and error-controlled integrators.
//
//     apt install libsimbody-dev
//     c++ -O2 -o simbody simbody.cpp $(pkg-config --cflags --libs simbody)
//     veridyn run sdnd101 --solver cmd:./simbody
//
// One JSON object per line comes in, one goes out; logs would go to standard error.
#include <Simbody.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace SimTK;

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

// ---- functions of time ----

struct NotApplicable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

double quantity(const Json& j) {  // a number, or a text such as "1.01", "3/4", "-2*pi/3"
    if (j.text.empty()) return j.number;
    const char* p = j.text.c_str();
    double value = 1;
    for (char operation = '*'; operation; operation = *p ? *p++ : '\0') {
        while (*p == ' ' || *p == '-') value *= *p++ == '-' ? -1 : 1;
        char* end = const_cast<char*>(p) + 2;
        const double part = *p == 'p' ? Pi : std::strtod(p, &end);
        if (end == p) throw NotApplicable("the number " + j.text);
        value = operation == '*' ? value * part : value / part;
        for (p = end; *p == ' ';) ++p;
    }
    return value;
}

double piece(const Json& coefficients, double t, int order) {
    double value = 0;
    const std::vector<Json>& c = coefficients.items;
    for (int k = static_cast<int>(c.size()) - 1; k >= order; --k) {
        double factor = 1;
        for (int i = 0; i < order; ++i) factor *= k - i;
        value = value * t + factor * quantity(c[k]);
    }
    return value;
}

double evaluated(const Json& f, double t, int order = 0) {  // derivative of that order at t
    const std::string& kind = f["kind"].text;
    if (kind == "harmonic") {
        const double omega = quantity(f["omega"]);
        const int d = order + static_cast<int>(f["order"].number);
        return quantity(f["amplitude"]) * std::pow(omega, d) * std::sin(omega * t + quantity(f["phase"]) + d * Pi / 2);
    }
    if (kind == "piecewise") {
        const std::vector<Json>& breaks = f["breaks"].items;
        std::size_t i = breaks.size();
        while (i > 0 && t < quantity(breaks[i - 1])) --i;
        return i ? piece(f["coefficients"].items[i - 1], t - quantity(breaks[i - 1]), order) : 0;
    }
    if (kind == "sum") {
        double value = 0;
        for (const Json& part : f["summands"].items) value += evaluated(part, t, order);
        return value;
    }
    const int d = order + static_cast<int>(f["order"].number);
    if (kind != "windowed" || d < 0) throw NotApplicable("a function of time of this kind");
    return t < quantity(f["start"]) || t > quantity(f["end"]) ? 0 : evaluated(f["function"], t, d);
}

// ---- the model ----

const double APART = 1000;  // m between sliders of one line, so that springs between them never turn round

std::string missing(const Json& problem) {  // never answer another question in silence
    const std::vector<Json>& mass = problem["mass"].items;
    if (mass.empty()) return "a modal basis";
    for (std::size_t i = 0; i < mass.size(); ++i)
        for (std::size_t j = 0; j < mass.size(); ++j)
            if (i != j && mass[i].items[j].number != 0) return "a mass matrix that is not diagonal";
    for (const char* key : {"frictions", "devices"})
        if (!problem[key].items.empty()) return key;
    for (const Json& s : problem["stops"].items) {
        if (s["geometry"].text != "plane" && s["geometry"].text != "parallel planes") return "a curved stop";
        if (s["damping"].number > 0) return "a damped stop: the dissipation of a limit stop is that of Hunt and Crossley";
        if (s["frame"].text == "absolute" && !problem["supports"].items.empty()) return "a stop in the absolute frame";
    }
    return problem["output_times"].items.empty() ? "a choice of output instants of its own" : "";
}

struct Line {  // a stop as bounds of one coordinate
    std::string name;
    int coordinate;
    double normal, gap, stiffness, offset;
    bool both;

    std::pair<double, double> bounds() const {
        const double one = (gap - offset) / normal, other = both ? (-gap - offset) / normal : -Infinity * normal;
        return std::minmax({one, other});
    }
};

class Driven : public Force::Custom::Implementation {  // loads, and inertia forces of the supports
    const Json& problem;
    const std::vector<MobilizedBody>& bodies;

public:
    Driven(const Json& p, const std::vector<MobilizedBody>& b) : problem(p), bodies(b) {}

    void calcForce(const State& s, Vector_<SpatialVec>&, Vector_<Vec3>&, Vector& mobility) const override {
        for (const Json& load : problem["loads"].items) push(s, load["direction"], load["function"], false, mobility);
        for (const Json& support : problem["supports"].items)
            push(s, support["influence"], support["acceleration"], true, mobility);
    }
    Real calcPotentialEnergy(const State&) const override { return 0; }

private:
    void push(const State& s, const Json& along, const Json& f, bool inertia, Vector& mobility) const {
        const double value = evaluated(f, s.getTime());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const double factor = inertia ? -problem["mass"].items[i].items[i].number : 1;
            bodies[i].applyOneMobilityForce(s, MobilizerUIndex(0), factor * along.items[i].number * value, mobility);
        }
    }
};

struct Sample {
    double t;
    std::vector<double> x, v;
};

Sample sample(const State& s, const std::vector<MobilizedBody>& bodies) {
    Sample now{s.getTime(), {}, {}};
    for (const MobilizedBody& body : bodies) {
        now.x.push_back(body.getOneQ(s, 0));
        now.v.push_back(body.getOneU(s, 0));
        if (!std::isfinite(now.x.back() + now.v.back())) throw std::runtime_error("diverged");
    }
    return now;
}

class Bound : public TriggeredEventHandler {  // an instant at which a stop closes or opens
    const std::vector<MobilizedBody>& bodies;
    const int coordinate;
    const double bound;
    std::vector<Sample>& passed;

public:
    Bound(const std::vector<MobilizedBody>& b, int i, double at, std::vector<Sample>& p)
        : TriggeredEventHandler(Stage::Position), bodies(b), coordinate(i), bound(at), passed(p) {}

    Real getValue(const State& s) const override { return bodies[coordinate].getOneQ(s, 0) - bound; }
    void handleEvent(State& s, Real, bool& terminate) const override {
        terminate = false;
        passed.push_back(sample(s, bodies));
    }
};

struct Model {
    const Json problem;
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> bodies;
    std::vector<Line> lines;

    explicit Model(const Json& p) : problem(p) {
        const std::vector<Json>& mass = problem["mass"].items;
        for (std::size_t i = 0; i < mass.size(); ++i) {
            const Body::Rigid body(MassProperties(mass[i].items[i].number, Vec3(0), Inertia(1)));
            bodies.push_back(MobilizedBody::Slider(matter.Ground(), Vec3(APART * i, 0, 0), body, Vec3(0)));
        }
        couple("stiffness", true);
        couple("damping", false);
        for (const Json& s : problem["stops"].items) stop(s);
        if (!problem["loads"].items.empty() || !problem["supports"].items.empty())
            Force::Custom(forces, new Driven(problem, bodies));
    }

    State start(double scale) const {
        State state = system.realizeTopology();
        system.realizeModel(state);
        if (scale > 0) state.updUWeights(matter.getMySubsystemIndex()) = 1 / scale;
        state.setTime(problem["start"].number);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies[i].setOneQ(state, 0, problem["initial_displacement"].items[i].number);
            bodies[i].setOneU(state, 0, problem["initial_velocity"].items[i].number);
        }
        return state;
    }

private:
    void couple(const std::string& name, bool spring) {  // springs or dampers between bodies and to the ground
        const std::vector<Json>& matrix = problem[name].items;
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            double ground = 0;
            for (std::size_t j = 0; j < matrix.size(); ++j) {
                const double between = -matrix[i].items[j].number;
                ground -= between;
                if (i == j || between == 0) continue;
                if (between < 0 || between != -matrix[j].items[i].number)
                    throw NotApplicable("a " + name + " matrix that is not made of springs or dampers between coordinates");
                if (j > i) link(i, j, between, spring);
            }
            const double rounding = 1e-14 * std::abs(matrix[i].items[i].number);
            if (ground < -rounding) throw NotApplicable("a negative " + name + " to the ground");
            if (ground > rounding) anchor(i, ground, spring);
        }
    }
    void link(std::size_t i, std::size_t j, double value, bool spring) {
        const Vec3 o(0);
        if (spring) Force::TwoPointLinearSpring(forces, bodies[i], o, bodies[j], o, value, APART * (j - i));
        else Force::TwoPointLinearDamper(forces, bodies[i], o, bodies[j], o, value);
    }
    void anchor(std::size_t i, double value, bool spring) {
        if (spring) Force::MobilityLinearSpring(forces, bodies[i], MobilizerQIndex(0), value, 0);
        else Force::MobilityLinearDamper(forces, bodies[i], MobilizerUIndex(0), value);
    }
    void stop(const Json& s) {
        int coordinate = -1;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (s["normal"].items[i].number == 0) continue;
            if (coordinate >= 0) throw NotApplicable("a stop that joins several coordinates");
            coordinate = static_cast<int>(i);
        }
        const double normal = s["normal"].items.at(coordinate).number;
        lines.push_back({s["name"].text, coordinate, normal, s["gap"].number, s["stiffness"].number,
                         s["offset"].number, s["geometry"].text == "parallel planes"});
        if (lines.back().both && s["gap"].number < 0) throw NotApplicable("parallel planes that overlap");
        const std::pair<double, double> at = lines.back().bounds();
        const double stiffness = normal * normal * s["stiffness"].number;
        Force::MobilityLinearStop(forces, bodies[coordinate], MobilizerQIndex(0), stiffness, 0, at.first, at.second);
    }
};

// ---- answers ----

std::unique_ptr<Integrator> integrator(const std::string& scheme, const System& system) {
    if (scheme == "RungeKutta3") return std::unique_ptr<Integrator>(new RungeKutta3Integrator(system));
    if (scheme == "Verlet") return std::unique_ptr<Integrator>(new VerletIntegrator(system));
    if (scheme == "CPodes") return std::unique_ptr<Integrator>(new CPodesIntegrator(system, CPodes::BDF));
    return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(system));
}

template <class Function>
void print(std::ostream& out, const std::string& name, const std::vector<Sample>& samples, Function f) {
    out << '"' << name << "\": [";
    for (std::size_t i = 0; i < samples.size(); ++i) out << (i ? "," : "") << f(samples[i]);
    out << ']';
}

std::string row(const std::vector<double>& values) {
    std::ostringstream text;
    text << std::setprecision(17);
    for (std::size_t i = 0; i < values.size(); ++i) text << (i ? "," : "[") << values[i];
    return text.str() + "]";
}

void history(std::ostream& out, const Line& line, const std::vector<Sample>& samples) {
    const auto reach = [&](const Sample& s) { return line.normal * s.x[line.coordinate] + line.offset; };
    const auto side = [&](const Sample& s) { return line.both && reach(s) < 0 ? -1.0 : 1.0; };
    const auto gap = [&](const Sample& s) { return line.gap - side(s) * reach(s); };
    out << '"' << line.name << "\": {";
    print(out, "normal_force", samples, [&](const Sample& s) { return std::max(0.0, -line.stiffness * gap(s)); });
    out << ", ";
    print(out, "normal_velocity", samples, [&](const Sample& s) { return -side(s) * line.normal * s.v[line.coordinate]; });
    out << ", ";
    print(out, "gap", samples, gap);
    out << '}';
}

void print_events(std::ostream& out, const Model& model, const std::vector<std::vector<Sample>>& passed) {
    out << "}, \"events\": {";
    for (std::size_t i = 0; i < passed.size(); ++i) {
        out << (i ? ", " : "");
        print(out, model.lines[i].name, passed[i], [](const Sample& s) { return s.t; });
    }
}

std::vector<Sample> merged(std::vector<Sample> samples, const std::vector<std::vector<Sample>>& passed) {
    for (const std::vector<Sample>& events : passed) samples.insert(samples.end(), events.begin(), events.end());
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.t < b.t; });
    const auto same = [](const Sample& a, const Sample& b) { return a.t == b.t; };
    samples.erase(std::unique(samples.begin(), samples.end(), same), samples.end());
    return samples;
}

std::string response(const Json& problem, const Json& settings) {
    Model model(problem);
    std::vector<std::vector<Sample>> passed(settings["events"].number > 0 ? model.lines.size() : 0);
    for (std::size_t i = 0; i < passed.size(); ++i) {
        const std::pair<double, double> at = model.lines[i].bounds();
        for (const double bound : {at.first, at.second})
            if (std::isfinite(bound))
                model.system.addEventHandler(new Bound(model.bodies, model.lines[i].coordinate, bound, passed[i]));
    }
    const State start = model.start(settings["scale"].number);
    const std::unique_ptr<Integrator> method = integrator(settings["scheme"].text, model.system);
    if (settings["accuracy"].number > 0) method->setAccuracy(settings["accuracy"].number);
    TimeStepper stepper(model.system, *method);
    stepper.initialize(start);
    std::vector<Sample> samples;
    for (const Json& instant : problem["output_times"].items) {
        if (instant.number > problem["start"].number) stepper.stepTo(instant.number);
        samples.push_back(sample(stepper.getState(), model.bodies));
    }
    samples = merged(samples, passed);
    std::ostringstream out;
    out << std::setprecision(17) << '{';
    print(out, "time", samples, [](const Sample& s) { return s.t; });
    out << ", ";
    print(out, "displacement", samples, [](const Sample& s) { return row(s.x); });
    out << ", ";
    print(out, "velocity", samples, [](const Sample& s) { return row(s.v); });
    out << ", \"elements\": {";
    for (std::size_t i = 0; i < model.lines.size(); ++i) {
        out << (i ? ", " : "");
        history(out, model.lines[i], samples);
    }
    if (!passed.empty()) print_events(out, model, passed);
    out << "}, \"counters\": {\"steps\": " << method->getNumStepsTaken() << "}}";
    return out.str();
}

std::string plain(std::string text) {  // as a JSON string
    for (char& c : text)
        if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
    return text;
}

void solve(const Json& question) {
    std::cout << "{\"id\": " << static_cast<long>(question["id"].number) << ", ";
    try {
        const std::string what = missing(question["problem"]);
        if (!what.empty()) throw NotApplicable(what);
        const std::string found = response(question["problem"], question["settings"]);
        std::cout << "\"response\": " << found << "}\n";
    } catch (const NotApplicable& reason) {
        std::cout << "\"not_applicable\": \"" << plain(reason.what()) << "\"}\n";
    } catch (const std::exception& failure) {
        std::cout << "\"error\": \"" << plain(failure.what()) << "\"}\n";
    }
}

void introduce() {
    int major, minor, build;
    SimTK_version_simbody(&major, &minor, &build);
    std::cout << "{\"name\": \"simbody\", \"version\": \"" << major << '.' << minor << '.' << build
              << R"(", "capabilities": ["mechanical", "multi-dof", "loads", "support-motion", "multi-support", )"
                 R"("damping", "damping:coupled", "contact", "contact:parallel-planes"], )"
                 R"("schemes": ["RungeKuttaMerson", "RungeKutta3", "Verlet", "CPodes"], )"
                 R"("settings": {"accuracy": "local error that integrators allow, over the scale; default 1e-3, that of Simbody", )"
                 R"("scale": "of displacements (m) and velocities (m/s), in the weights of errors; default 1, that of Simbody", )"
                 R"("events": "1: bounds of stops are witness functions, so that integrators stop there; default 0"}, )"
                 R"("claims": {)";
    for (const char* scheme : {"RungeKuttaMerson", "RungeKutta3", "Verlet", "CPodes"})
        std::cout << (scheme == std::string("RungeKuttaMerson") ? "\"" : ", \"") << scheme
                  << R"(": {"tolerance": "accuracy"})";
    std::cout << R"(}, "refinement": [{"accuracy": 1e-3}, {"accuracy": 1e-5}, {"accuracy": 1e-7}, {"accuracy": 1e-9}]})"
              << "\n";
}

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line); std::cout.flush()) {
        const Json message = Reader(line).value();
        if (message["command"].text == "start") introduce();
        else if (message["command"].text == "solve") solve(message);
        else return 0;
    }
}
