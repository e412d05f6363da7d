% Octave 7.3: ode45 locates events by a straight line between two instants of output, whatever the tolerance.
%
%     octave-cli --quiet --no-init-file events_between_outputs.m
%
% A ball falls from 1 m; it lands at sqrt(2/g). Printed: distance of outputs, relative tolerance, error of the instant,
% error of the velocity there. Last line: events of sin t = 0.99 that are found in 0 < t < 3 with outputs every second
% (there are two).
1;

function [value, terminal, direction] = lands (t, y)
  value = y(1);
  terminal = 1;
  direction = -1;
end

warning ("off", "integrate_adaptive:unexpected_termination");
for spacing = [0.1, 0.01, 0.001]
  for tolerance = [1e-3, 1e-6, 1e-12]
    options = odeset ("RelTol", tolerance, "AbsTol", tolerance, "MaxStep", 1e-3, "Events", @lands);
    [t, y, instant, state] = ode45 (@(t, y) [y(2); -9.81], 0:spacing:1, [1; 0], options);
    printf ("%g %g %.4g %.4g\n", spacing, tolerance, instant - sqrt (2 / 9.81), state(2) + sqrt (2 * 9.81));
  end
end

function [value, terminal, direction] = meets (t, y)
  value = y - 0.99;
  terminal = 0;
  direction = 0;
end

options = odeset ("RelTol", 1e-12, "AbsTol", 1e-12, "MaxStep", 1e-3, "Events", @meets);
[t, y, instants] = ode45 (@(t, y) cos (t), 0:3, 0, options);
printf ("%d\n", numel (instants));
