// Every visible text that is less readable than WCAG 2 AA asks for, with its ratio.
() => {
  const OFF = "svg,[disabled],[aria-disabled=true],.disabled,.q-field--disabled,.q-tabs__arrow--faded";
  const parsed = (colour) => {
    const found = colour.match(/[\d.]+/g).map(Number);
    return found.length > 3 ? found : [...found, 1];
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat([1]);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((s, w, i) => s + w * linear(c[i] / 255), 0);
  const above = (e) => (e ? [e, ...above(e.parentElement)] : []);
  const ground = (e) => {
    const all = above(e).map((each) => parsed(getComputedStyle(each).backgroundColor));
    const opaque = all.findIndex((c) => c[3] === 1);
    const seen = all.slice(0, opaque < 0 ? all.length : opaque + 1);
    return seen.reduceRight((below, c) => over(c, below), [255, 255, 255, 1]);
  };
  const written = (e) =>
    ["INPUT", "TEXTAREA"].includes(e.tagName)
      ? !["file", "range"].includes(e.type) && e.value
      : [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("").trim();
  const shown = (e) => {
    const box = e.getBoundingClientRect();
    const there = box.width > 1 && box.height > 1 && box.right > 0;
    return there && e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const texts = [...document.body.querySelectorAll("*")].filter(
    (e) => !e.closest(OFF) && written(e) && shown(e),
  );
  const poor = [];
  for (const e of texts) {
    const style = getComputedStyle(e), below = ground(e), ink = parsed(style.color);
    ink[3] *= above(e).reduce((all, each) => all * getComputedStyle(each).opacity, 1);
    const [most, least] = [light(over(ink, below)), light(below)].sort((a, b) => b - a);
    const ratio = (most + 0.05) / (least + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) poor.push([written(e).slice(0, 40), ratio.toFixed(2)]);
  }
  return { texts: texts.length, poor };
};
