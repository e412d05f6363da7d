"""A body that slides with (1.6, 1.2) m/s on a level plane, coefficient 0.4, by MuJoCo's contacts.

It stops at (0.4077, 0.3058) m in truth, after a straight way. The default cone is a pyramid along the axes, so that
friction is not opposite to the velocity. The model is that of
`veridyn export plane_slide --variant level --format mjcf`.
"""

import mujoco

MODEL = """
<mujoco>
  <option timestep="0.001" gravity="0 0 -9.81" cone="{cone}"/>
  <worldbody>
    <geom name="plane" type="plane" size="100 100 1" contype="0" conaffinity="0"/>
    <body pos="0 0 0.1">
      <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 1 0"/> <joint type="slide" axis="0 0 1"/>
      <geom name="block" type="box" size="0.1 0.1 0.1" mass="2" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <contact> <pair geom1="plane" geom2="block" condim="3" friction="0.4 0.4 0 0 0"/> </contact>
</mujoco>
"""


def stopped(cone: str) -> tuple[float, float]:
    """Return the place (m) after 1 s."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(cone=cone))
    data = mujoco.MjData(model)
    data.qvel[:2] = 1.6, 1.2
    mujoco.mj_step(model, data, 1000)
    return float(data.qpos[0]), float(data.qpos[1])


if __name__ == "__main__":
    for cone in ("pyramidal", "elliptic"):
        print(f"{cone:10} stops at ({stopped(cone)[0]:.4f}, {stopped(cone)[1]:.4f}) m; true (0.4077, 0.3058) m")
