// What the clients in JavaScript share: a line on standard input names a question, a line of JSON on standard output
// answers it.
import fs from 'node:fs';
import readline from 'node:readline';

function typeOf(value) {
  if (value === null) return 'null';
  return typeof value === 'object' ? value.constructor.name : typeof value;
}

function textOf(value) {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// Each cell with the name of its column and the type that its value has here.
function cells(row) {
  return Object.entries(row).map(([name, value]) => [`${name} ${typeOf(value)}`, textOf(value)]);
}

export function versionOf(name) {
  const described = JSON.parse(fs.readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url)));
  return `${name} ${described.version}`;
}

// The answer, if it is the same as often as that.
export async function repeated(times, ask) {
  const first = await ask();
  for (let i = 1; i < times; ++i) {
    const again = await ask();
    if (JSON.stringify(again) !== JSON.stringify(first)) throw new Error('another answer');
  }
  return first;
}

export const paid = ['paid', 100, new Date('2025-03-01T00:00:00Z'), new Date('2025-09-01T00:00:00Z')];

export async function serve(questions) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
      const found = await questions[line.trim()]();
      answer = typeof found === 'string' ? { text: found } : { rows: [...found].map(cells) };
    } catch (error) {
      answer = { error: [error.message, error.cause?.message].join('\n').trim() }; // as Node.js prints it
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}
