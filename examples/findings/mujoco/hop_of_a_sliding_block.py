"""A block that slides on a level plane, by MuJoCo's contacts: it hops, and its normal force comes in blows.

The contact law is convex: it lifts what slides. Prints the share of steps without contact, and the largest and the mean
normal force over the weight. The model is that of `veridyn export plane_slide --variant level --format mjcf`.
"""

import mujoco
import numpy as np

MODEL = """
<mujoco>
  <option timestep="2e-4" gravity="0 0 -9.81" cone="elliptic"/>
  <worldbody>
    <geom name="plane" type="plane" size="100 100 1" contype="0" conaffinity="0"/>
    <body pos="0 0 0.5">
      <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 1 0"/> <joint type="slide" axis="0 0 1"/>
      <geom name="block" type="box" size="0.5 0.5 0.5" mass="2" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <contact> <pair geom1="plane" geom2="block" condim="3" friction="0.4 0.4 0 0 0"/> </contact>
</mujoco>
"""


def pressed(end: float = 0.2) -> np.ndarray:
    """Return the normal force over the weight in each step until an instant (s)."""
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    data.qvel[:2] = 1.6, 1.2
    found, force = [], np.zeros(6)
    for _ in range(round(end / model.opt.timestep)):
        mujoco.mj_step(model, data)
        total = 0.0
        for i in range(data.ncon):
            mujoco.mj_contactForce(model, data, i, force)
            total += force[0]
        found.append(total / (2 * 9.81))
    return np.array(found)


if __name__ == "__main__":
    forces = pressed()
    print(
        f"no contact in {np.mean(forces == 0):.0%} of the steps, largest {forces.max():.2f}, mean {forces.mean():.3f}"
    )
