// A choice of versions beneath the name of the project, where versions.json lies beside the sites of all versions.
document.addEventListener("DOMContentLoaded", async () => {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const answer = await fetch(new URL("../versions.json", root)).catch(() => null);
  if (!answer || !answer.ok) return;
  const select = document.createElement("select");
  select.className = "versions";
  select.setAttribute("aria-label", "Version of the documentation");
  for (const version of await answer.json()) {
    const isHere = root.pathname.endsWith(`/${version}/`);
    select.append(new Option(version, version, isHere, isHere));
  }
  select.addEventListener("change", async () => {
    const home = new URL(`../${select.value}/`, root);
    const page = new URL(location.pathname.slice(root.pathname.length), home); // the same page, if that version has it
    const there = await fetch(page, { method: "HEAD" });
    location.assign(there.ok ? page : home);
  });
  document.querySelector(".sidebar-brand").after(select);
});
