"""The page's only script: tooltips for mouse, finger and keys, and a choice of matrices.

Without it nothing is lost: tooltips are titles, and all figures stand in tables.
"""

SCRIPT = """
(() => {
const tip = document.createElement("div");
tip.id = "tip"; tip.hidden = true; tip.setAttribute("role", "tooltip");
document.body.append(tip);
const groups = new Map();
for (const each of document.querySelectorAll(".tip")) {
  const title = each.querySelector("title");
  each.dataset.tip = title ? title.textContent : each.title;
  if (title) { title.remove(); each.setAttribute("role", "img");
    each.setAttribute("aria-label", each.dataset.tip.replaceAll("\\n", "; ")); }
  else { each.removeAttribute("title"); }
  const home = each.closest("svg, table");
  if (!groups.has(home)) groups.set(home, []);
  groups.get(home).push(each);
}
for (const marks of groups.values()) marks.forEach((mark, i) => mark.tabIndex = i ? -1 : 0);
const show = mark => {
  tip.textContent = mark.dataset.tip; tip.hidden = false;
  const box = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const wide = document.documentElement.clientWidth;
  const x = Math.min(wide - own.width - 8, Math.max(8, box.left + box.width / 2 - own.width / 2));
  const above = box.top - own.height - 10;
  tip.style.left = `${x + scrollX}px`;
  tip.style.top = `${(above > 4 ? above : box.bottom + 10) + scrollY}px`;
};
const hide = () => { tip.hidden = true; };
const marked = event => event.target.closest?.(".tip");
const look = event => { const mark = marked(event); mark ? show(mark) : hide(); };
document.addEventListener("pointerover", look);
document.addEventListener("focusin", look);
document.addEventListener("focusout", hide);
document.addEventListener("keydown", e => {
  if (e.key === "Escape") hide();
  const mark = marked(e), marks = mark && groups.get(mark.closest("svg, table"));
  const row = mark?.parentElement.querySelectorAll("td.tip").length || 1;
  const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row}[e.key];
  if (!marks || !step) return;
  const next = marks[marks.indexOf(mark) + step];
  e.preventDefault();
  if (next) { mark.tabIndex = -1; next.tabIndex = 0; next.focus(); }
});
const cell = document.getElementById("cell");
cell?.addEventListener("change", () => {
  const choices = document.querySelectorAll(".choice");
  choices.forEach(each => { each.hidden = each.dataset.cell !== cell.value; });
});
document.documentElement.classList.add("scripted");
})();
"""
