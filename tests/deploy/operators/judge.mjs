// Reads objects as JSON from standard input and answers with what the operators' own definitions say against each: a
// list of texts an object, null for a kind that none of them defines.

const OPERATORS = {
  "postgresql.cnpg.io": "cloudnative-pg",
  "keda.sh": "keda",
  "monitoring.coreos.com": "prometheus-operator",
};

async function judge(object) {
  const operator = OPERATORS[object.apiVersion.split("/")[0]];
  if (operator === undefined) return null;
  const models = await import(`@kubernetes-models/${operator}/${object.apiVersion}/${object.kind}`);
  try {
    new models[object.kind](object).validate();
    return [];
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    return error.errors.map((one) => `${one.instancePath} ${one.message}`);
  }
}

let text = "";
for await (const chunk of process.stdin) text += chunk;
const answers = [];
for (const object of JSON.parse(text)) answers.push(await judge(object));
process.stdout.write(JSON.stringify(answers));
