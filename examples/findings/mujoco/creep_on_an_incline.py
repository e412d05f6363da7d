"""A block on an incline that friction holds (slope 0.34, coefficient 0.4), by MuJoCo's contacts: it creeps for ever.

Prints place (m) and velocity (m/s) after 2 s for several options. The model is that of
`veridyn export incline_block --variant holds --format mjcf`, with another cone.
"""

import mujoco

MODEL = """
<mujoco>
  <option timestep="0.001" gravity="3.157946 0 -9.288076" {options}/>
  <worldbody>
    <geom name="plane" type="plane" size="100 100 1" contype="0" conaffinity="0"/>
    <body pos="0 0 0.1">
      <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
      <geom name="block" type="box" size="0.1 0.1 0.1" mass="2" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <contact> <pair geom1="plane" geom2="block" condim="3" friction="0.4 0.4 0 0 0"/> </contact>
</mujoco>
"""
OPTIONS = ("", 'cone="elliptic"', 'cone="elliptic" impratio="100"', 'cone="elliptic" noslip_iterations="10"')


def held(options: str) -> tuple[float, float]:
    """Return place and velocity down the slope after 2 s."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(options=options))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 2000)
    return float(data.qpos[0]), float(data.qvel[0])


if __name__ == "__main__":
    for options in OPTIONS:
        place, velocity = held(options)
        print(f"{options or 'default':44} x = {place:.3g} m, v = {velocity:.3g} m/s")
