% mine: a solver in Octave, to put yours in its place. It runs as it is:
%
%     veridyn doctor --solver "cmd:octave-cli --quiet --no-init-file mine.m"
%     veridyn run --quick --solver "cmd:octave-cli --quiet --no-init-file mine.m"
%
% Newmark's average acceleration, Newton's method in every step. Tried with Octave 7.3. MATLAB, with which it was not
% tried, reads no lines from standard input: there read them by java.io.BufferedReader(java.lang.InputStreamReader(
% java.lang.System.in)), and start it by "cmd:matlab -batch mine".
1;

function text = introduce()
  text = ["{\"name\": \"mine\", \"version\": \"0.1\", " ...
          "\"capabilities\": [\"mechanical\", \"multi-dof\", \"damping\", \"damping:coupled\", \"contact\"], " ...
          "\"settings\": {\"fraction\": \"step over the shortest time, a period over 2 pi; default 0.005\"}, " ...
          "\"refinement\": [{\"fraction\": 0.02}, {\"fraction\": 0.01}, {\"fraction\": 0.005}, {\"fraction\": 0.0025}], " ...
          "\"claims\": {\"order\": 2, \"method\": \"newmark\", \"beta\": \"1/4\", \"gamma\": \"1/2\"}}"];
end

function d = gap(stop, x)
  d = stop.gap - (stop.normal' * x + stop.offset);
end

function force = push(stop, x)  % N, never negative
  force = max(0, -stop.stiffness * gap(stop, x));
end

% Newton's correction of the acceleration a that belongs to (x, v) at the end of a step of length h.
function change = correction(p, h, x, v, a)
  right = -p.mass * a - p.damping * v - p.stiffness * x;
  slope = p.mass + h / 2 * p.damping + h^2 / 4 * p.stiffness;
  for k = 1:numel(p.stops)
    stop = p.stops{k};
    if gap(stop, x) < 0
      right -= stop.normal * push(stop, x);
      slope += h^2 / 4 * stop.stiffness * (stop.normal * stop.normal');
    end
  end
  change = slope \ right;
end

function [x, v, a] = advance(p, h, x, v, a)
  new = a;
  for pass = 1:30
    change = correction(p, h, x + h * v + h^2 / 4 * (a + new), v + h / 2 * (a + new), new);
    new += change;
    if all(abs(change) <= 1e-13 * abs(new))
      break
    end
  end
  x += h * v + h^2 / 4 * (a + new);
  v += h / 2 * (a + new);
  a = new;
end

function p = read_problem(raw)
  p = raw;
  for key = {"initial_displacement", "initial_velocity", "output_times"}
    p.(key{1}) = raw.(key{1})(:);
  end
  p.stops = num2cell(raw.stops);
  for k = 1:numel(p.stops)
    p.stops{k}.normal = p.stops{k}.normal(:);
  end
end

function text = lacking(raw)  % never answer another question in silence
  text = "";
  for key = {"loads", "supports", "frictions", "devices", "varying"}
    if !isempty(raw.(key{1}))
      text = key{1};
    end
  end
  if isempty(raw.mass) || isempty(raw.output_times)
    text = "modes, or a choice of output instants of its own";
  end
  for k = 1:numel(raw.stops)
    if !isfield(raw.stops, "stiffness") || !strcmp(raw.stops(k).geometry, "plane") || raw.stops(k).damping
      text = "stops of this kind";
    end
  end
end

function w = fastest(p)  % rad/s, all stops closed
  stiffness = p.stiffness;
  for k = 1:numel(p.stops)
    stiffness += p.stops{k}.stiffness * (p.stops{k}.normal * p.stops{k}.normal');
  end
  w = sqrt(max(abs(eig(p.mass \ stiffness))));
end

function text = list(values)  % 17 digits: jsonencode has 15
  text = ["[" strjoin(arrayfun(@(value) sprintf("%.17g", value), values(:)', "UniformOutput", false), ", ") "]"];
end

function text = rows(values)  % values: a column an instant
  text = ["[" strjoin(cellfun(@list, num2cell(values, 1), "UniformOutput", false), ", ") "]"];
end

function text = respond(p, settings)
  fraction = 0.005;
  if isfield(settings, "fraction")
    fraction = settings.fraction;
  end
  largest = fraction / fastest(p);
  x = p.initial_displacement;
  v = p.initial_velocity;
  a = correction(p, 0, x, v, 0 * x);
  now = p.start;
  steps = 0;
  m = numel(p.output_times);
  displacement = velocity = zeros(numel(x), m);
  for i = 1:m
    parts = (p.output_times(i) > now) * max(1, ceil((p.output_times(i) - now) / largest - 1e-9));
    h = (p.output_times(i) - now) / max(parts, 1);
    for j = 1:parts
      [x, v, a] = advance(p, h, x, v, a);
    end
    now = p.output_times(i);
    steps += parts;
    displacement(:, i) = x;
    velocity(:, i) = v;
  end
  if !all(isfinite(displacement(:)))
    error("it diverged: take a smaller step");
  end
  elements = cell(1, numel(p.stops));
  for k = 1:numel(p.stops)
    stop = p.stops{k};
    elements{k} = sprintf("%s: {\"normal_force\": %s, \"normal_velocity\": %s, \"gap\": %s}", jsonencode(stop.name), ...
                          list(push(stop, displacement)), list(-stop.normal' * velocity), list(gap(stop, displacement)));
  end
  text = sprintf("{\"time\": %s, \"displacement\": %s, \"velocity\": %s, \"elements\": {%s}, \"counters\": {\"steps\": %d}}", ...
                 list(p.output_times), rows(displacement), rows(velocity), strjoin(elements, ", "), steps);
end

function text = answer(message)
  missing = lacking(message.problem);
  if !isempty(missing)
    text = sprintf("{\"id\": %d, \"not_applicable\": \"%s\"}", message.id, missing);
    return
  end
  try
    text = sprintf("{\"id\": %d, \"response\": %s}", message.id, respond(read_problem(message.problem), message.settings));
  catch failure
    text = sprintf("{\"id\": %d, \"error\": %s}", message.id, jsonencode(failure.message));
  end
end

while ischar(line = input("", "s"))
  if isempty(line)
    break
  end
  message = jsondecode(line);
  if strcmp(message.command, "stop")
    break
  elseif strcmp(message.command, "start")
    puts([introduce() "\n"]);
  else
    puts([answer(message) "\n"]);
  end
  fflush(stdout);
end
