// The AI SDK asks a Decoct server and an MCP server, and prints what it was given as one line of JSON.
// node ai_sdk.cjs FOLDER_WITH_NODE_MODULES SERVER MCP LIBRARY QUESTION
const [folder, server, mcp, library, question] = process.argv.slice(2);
const need = require("node:module").createRequire(`${folder}/`);
const { embedMany, generateText, rerank, streamText } = need("ai");
const { createOpenAICompatible } = need("@ai-sdk/openai-compatible");
const { createCohere } = need("@ai-sdk/cohere");
const { experimental_createMCPClient: createMCPClient } = need("@ai-sdk/mcp");

async function main() {
  const decoct = createOpenAICompatible({ name: "decoct", baseURL: `${server}/v1`, apiKey: "none" });
  const model = decoct.chatModel(`${library}/default`);
  const { text } = await generateText({ model, prompt: question });
  const pieces = [];
  for await (const piece of streamText({ model, prompt: question }).textStream) pieces.push(piece);
  const { embeddings } = await embedMany({ model: decoct.textEmbeddingModel("minilm"), values: ["a bridge", "a tower"] });
  const cohere = createCohere({ baseURL: `${server}/v2`, apiKey: "none" });
  const documents = ["Salt is mined in the hills.", "The old bridge was opened in 1934."];
  const { ranking } = await rerank({ model: cohere.reranking("reader"), documents, query: question });
  const client = await createMCPClient({ transport: { type: "http", url: mcp } });
  const tools = await client.tools();
  const called = await tools.ask.execute({ question }, { toolCallId: "1", messages: [] });
  await client.close();
  const dimensions = embeddings.map((one) => one.length);
  console.log(JSON.stringify({ text, streamed: pieces.join(""), dimensions, first: ranking[0].originalIndex, tools: Object.keys(tools), called }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
