// Energy of an oscillator after a hundred shocks on a MobilityLinearStop, and the order of Verlet without the stop.
//
//     c++ -O2 -o limit_stop limit_stop.cpp $(pkg-config --cflags --libs simbody)
//     ./limit_stop SCHEME ACCURACY REPORTS    shocks, and energy over that of the start; 0: accuracy is left as it is
//     ./limit_stop fixed STEP                 error of x and v of VerletIntegrator without stop after 1 s
//
// Mass 100 kg, spring 1e4 N/m, stop 1e6 N/m at x = 0, 1 m/s towards it; REPORTS instants per period ask for the state.
#include <Simbody.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

using namespace SimTK;

int main(int, char** given) {
    const std::string scheme = given[1];
    const bool stops = scheme != "fixed";
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    const Body::Rigid mass(MassProperties(100, Vec3(0), Inertia(1)));
    MobilizedBody::Slider body(matter.Ground(), Vec3(0), mass, Vec3(0));
    Force::MobilityLinearSpring(forces, body, MobilizerQIndex(0), 1e4, 0);
    Force::MobilityLinearStop(forces, body, MobilizerQIndex(0), stops ? 1e6 : 0, 0, -Infinity, 0);
    State start = system.realizeTopology();
    body.setOneU(start, 0, 1);

    std::unique_ptr<Integrator> method;
    if (scheme == "CPodes") method.reset(new CPodesIntegrator(system, CPodes::BDF));
    else if (scheme == "RungeKuttaMerson") method.reset(new RungeKuttaMersonIntegrator(system));
    else method.reset(new VerletIntegrator(system));
    const double value = std::atof(given[2]);
    if (!stops) method->setFixedStepSize(value);
    else if (value > 0) method->setAccuracy(value);
    TimeStepper stepper(system, *method);
    stepper.initialize(start);
    if (!stops) {
        stepper.stepTo(1);
        const State& end = stepper.getState();
        std::cout << body.getOneQ(end, 0) - std::sin(10.) / 10 << ' ' << body.getOneU(end, 0) - std::cos(10.) << '\n';
        return 0;
    }
    const double period = Pi / 10 + Pi / std::sqrt(1.01e4);
    const int reports = std::atoi(given[3]);
    int shocks = 1;
    double before = 1;
    for (int i = 1; i <= 100 * reports; ++i) {
        stepper.stepTo((i - 0.5) * period / reports);
        const double x = body.getOneQ(stepper.getState(), 0);
        shocks += before <= 0 && x > 0;
        before = x;
    }
    const double x = body.getOneQ(stepper.getState(), 0), v = body.getOneU(stepper.getState(), 0);
    std::cout << shocks << ' ' << (100 * v * v + (x > 0 ? 1.01e6 : 1e4) * x * x) / 100 << '\n';
}
