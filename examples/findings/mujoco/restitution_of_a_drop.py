"""A sphere that falls on a plane, by MuJoCo's contacts: what returns depends on speed and step.

MuJoCo has no coefficient of restitution. Its contact is a spring and a damper per effective mass: `solref="-k -b"` with
b = 2 d sqrt(k), d = -ln e/sqrt(ln² e + pi²), is the recipe for e. Prints height of the first bounce over e² h.
"""

import math

import mujoco

MODEL = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="100 100 1" contype="0" conaffinity="0"/>
    <body pos="0 0 {centre}">
      <joint type="slide" axis="0 0 1"/>
      <geom name="ball" type="sphere" size="0.05" mass="1" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <contact> <pair geom1="floor" geom2="ball" condim="1" {contact}/> </contact>
</mujoco>
"""
STIFFNESS = 1e5  # 1/s²


def recipe(e: float) -> str:
    """Return the contact for a coefficient of restitution."""
    ratio = -math.log(e) / math.hypot(math.log(e), math.pi)
    return f'solref="{-STIFFNESS} {-2 * ratio * math.sqrt(STIFFNESS)}"'


def bounce(height: float, step: float, contact: str = "") -> float:
    """Return how high (m) the sphere bounces after its first impact."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(step=step, centre=height + 0.05, contact=contact))
    data = mujoco.MjData(model)
    touched, top = False, 0.0
    for _ in range(round(3 * math.sqrt(2 * height / 9.81) / step)):
        mujoco.mj_step(model, data)
        touched = touched or data.qpos[0] <= -height
        if touched and data.qvel[0] > 0:
            top = max(top, float(data.qpos[0]) + height)
        elif top > 0:
            break
    return top


if __name__ == "__main__":
    print(f"default contact, h = 1 m: {bounce(1.0, 1e-3):.4f} m")
    for e in (0.25, 0.5, 0.75, 0.99):
        shares = [bounce(h, step, recipe(e)) / (e**2 * h) for h, step in ((1.0, 1e-3), (1.0, 1e-5), (0.01, 1e-5))]
        print(f"e = {e}: {', '.join(f'{share:.3f}' for share in shares)} of e² h (1 m: 1 ms, 10 us; 0.01 m: 10 us)")
