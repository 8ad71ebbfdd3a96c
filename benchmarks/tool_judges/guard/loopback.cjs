// Keep a Node process on loopback: any other host is refused, and written to a file. Loaded by NODE_OPTIONS.
"use strict";
const fs = require("fs");
const net = require("net");
const dns = require("dns");

const log = process.env.REFUSED_ADDRESSES;
const local = (host) => !host || ["localhost", "::1", "0.0.0.0", "::"].includes(host) || String(host).startsWith("127.");

function refuse(host) {
  if (log) fs.appendFileSync(log, `${host}\n`);
  return Object.assign(new Error(`only loopback is reached here, not ${host}`), { code: "ECONNREFUSED" });
}

if (log) {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...given) {
    const first = Array.isArray(given[0]) ? given[0][0] : given[0];
    const host = typeof first === "object" && first !== null ? first.host : typeof given[1] === "string" ? given[1] : undefined;
    if (local(host)) return connect.apply(this, given);
    process.nextTick(() => this.destroy(refuse(host)));
    return this;
  };
  const lookup = dns.lookup;
  dns.lookup = function (host, ...rest) {
    if (local(host)) return lookup.call(dns, host, ...rest);
    const done = rest[rest.length - 1];
    process.nextTick(() => done(refuse(host)));
  };
}
