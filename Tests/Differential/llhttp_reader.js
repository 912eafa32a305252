// Reads streams of requests with the llhttp that Node carries, strict. The same input and output as wire-reader.
'use strict';
const fs = require('fs');
// The binding itself, for its methods in the order of their numbers; `http.METHODS` is sorted by name.
process.noDeprecation = true;
const { HTTPParser, methods, allMethods } = process.binding('http_parser');
const names = allMethods || methods;
const hex = (text) => Buffer.from(text, 'latin1').toString('hex');

function read(bytes) {
  const parser = new HTTPParser();
  // No limit on the head that a case could reach; no leniency at all.
  parser.initialize(HTTPParser.REQUEST, {}, 1 << 20, HTTPParser.kLenientNone);
  const messages = [];
  let end = 'open', fault = '', pending = [], target = '', current = null;
  const pairs = (flat) => {
    const list = [];
    for (let i = 0; i + 1 < flat.length; i += 2) list.push([hex(flat[i]), hex(flat[i + 1])]);
    return list;
  };
  // Called when a head has many fields, and for trailers.
  parser[HTTPParser.kOnHeaders] = (headers, url) => {
    if (current) return;
    pending.push(...headers);
    target += url;
  };
  parser[HTTPParser.kOnHeadersComplete] = (major, minor, headers, method, url, status, text, upgrade, keepAlive) => {
    current = {
      method: hex(names[method]), target: hex(url === undefined ? target : url), minor, major,
      fields: pairs(pending.concat(headers || [])), body: '', complete: false,
    };
    pending = [];
    target = '';
    messages.push(current);
    if (upgrade) end = 'upgrade';
    else if (!keepAlive) end = 'closing';
    return 0;
  };
  parser[HTTPParser.kOnBody] = (chunk) => {
    current.body += Buffer.from(chunk).toString('hex');
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    current.complete = true;
    current = null;
    if (end === 'closing' || end === 'upgrade') end = 'closed';
  };
  const result = parser.execute(bytes);
  if (result instanceof Error) {
    // After the last message of a connection anything that follows is of no interest to anybody.
    if (end !== 'closed') {
      end = 'refused';
      fault = `${result.code} ${result.reason || ''}`.trim();
    }
  } else if (end === 'closing' || end === 'upgrade') {
    end = 'open';
  }
  parser.close();
  return { messages, end, fault };
}

const input = fs.readFileSync(process.argv[2]);
const lines = [];
for (let at = 0; at < input.length;) {
  const length = input.readUInt32BE(at);
  lines.push(JSON.stringify(read(Buffer.from(input.subarray(at + 4, at + 4 + length)))));
  at += 4 + length;
}
fs.writeFileSync(1, lines.join('\n') + '\n');
