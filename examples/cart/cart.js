"use strict";

const lines = [];

function money(cents) {
  return (cents / 100).toFixed(2);
}

function row(text, ...more) {
  const item = document.createElement("li");
  item.append(text, ...more);
  return item;
}

async function add(sku) {
  const answer = await fetch("/api/lines", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sku }),
  });
  lines.push(await answer.json());
  const shown = lines.map((line) => row(line.name, money(line.price_cents)));
  document.querySelector("#total").textContent = money(total());
  document.querySelector("#lines").replaceChildren(...shown);
}

function total() {
  const prices = lines.map((line) => line.price_cents);
  const sum = prices.reduce((before, price) => before + price);
  return sum;
}

async function start() {
  const catalogue = await (await fetch("/api/catalogue")).json();
  for (const [sku, item] of Object.entries(catalogue)) {
    const button = document.createElement("button");
    button.textContent = "Add";
    button.dataset.sku = sku;
    button.onclick = () => add(sku);
    document.querySelector("#catalogue").append(row(`${item.name} ${money(item.price_cents)}`, button));
  }
}

start();
