// The console of the Node.js runtime of AWS Lambda: an excerpt of LogPatch.js of aws-lambda-ric 3.3.0, by Amazon.com,
// Inc. or its affiliates, under the Apache License 2.0. The excerpt omits other targets than stdout, and the error
// loggers. aws-lambda-ric 4.0.2 writes the same lines (formatJsonMessage, formatTextMessage).
"use strict";
var util = require("util");
var jsonErrorReplacer = (_, value) => {
  var _a;
  if (value instanceof Error) {
    let serializedErr = Object.assign(
      {
        errorType: ((_a = value == null ? void 0 : value.constructor) == null ? void 0 : _a.name) ?? "UnknownError",
        errorMessage: value.message,
        stackTrace: typeof value.stack === "string" ? value.stack.split("\n") : value.stack
      },
      value
    );
    return serializedErr;
  }
  return value;
};
function formatJsonMessage(requestId, timestamp, level, tenantId, ...messageParams) {
  var _a;
  let result = {
    timestamp,
    level: level.name,
    requestId
  };
  if (tenantId != void 0 && tenantId != null) {
    result.tenantId = tenantId;
  }
  if (messageParams.length === 1) {
    result.message = messageParams[0];
    try {
      return JSON.stringify(result, jsonErrorReplacer);
    } catch (_) {
      result.message = util.format(result.message);
      return JSON.stringify(result);
    }
  }
  result.message = util.format(...messageParams);
  for (const param of messageParams) {
    if (param instanceof Error) {
      result.errorType = ((_a = param == null ? void 0 : param.constructor) == null ? void 0 : _a.name) ?? "UnknownError";
      result.errorMessage = param.message;
      result.stackTrace = typeof param.stack === "string" ? param.stack.split("\n") : [];
      break;
    }
  }
  return JSON.stringify(result);
}
var REQUEST_ID_SYMBOL = Symbol.for("aws.lambda.runtime.requestId");
var _currentRequestId = {
  get: () => global[REQUEST_ID_SYMBOL],
  set: (id) => global[REQUEST_ID_SYMBOL] = id
};
var TENANT_ID_SYMBOL = Symbol.for("aws.lambda.runtime.tenantId");
var _currentTenantId = {
  get: () => global[TENANT_ID_SYMBOL],
  set: (id) => global[TENANT_ID_SYMBOL] = id
};
var logTextToStdout = (level, message, ...params) => {
  let time = (/* @__PURE__ */ new Date()).toISOString();
  let requestId = _currentRequestId.get();
  let line = `${time}	${requestId}	${level.name}	${util.format(
    message,
    ...params
  )}`;
  line = line.replace(/\n/g, "\r");
  process.stdout.write(line + "\n");
};
var logJsonToStdout = (level, message, ...params) => {
  let time = (/* @__PURE__ */ new Date()).toISOString();
  let requestId = _currentRequestId.get();
  let tenantId = _currentTenantId.get();
  let line = formatJsonMessage(
    requestId,
    time,
    level,
    tenantId,
    message,
    ...params
  );
  line = line.replace(/\n/g, "\r");
  process.stdout.write(line + "\n");
};
function _patchConsoleWith(log) {
  var _a;
  const NopLog = (_message, ..._params) => {
  };
  const levels = Object.freeze({
    TRACE: { name: "TRACE", priority: 1, tlvMask: 4 },
    DEBUG: { name: "DEBUG", priority: 2, tlvMask: 8 },
    INFO: { name: "INFO", priority: 3, tlvMask: 12 },
    WARN: { name: "WARN", priority: 4, tlvMask: 16 },
    ERROR: { name: "ERROR", priority: 5, tlvMask: 20 },
    FATAL: { name: "FATAL", priority: 6, tlvMask: 24 }
  });
  let awsLambdaLogLevel = levels[(_a = process.env["AWS_LAMBDA_LOG_LEVEL"]) == null ? void 0 : _a.toUpperCase()] ?? levels.TRACE;
  if (levels.TRACE.priority >= awsLambdaLogLevel.priority) {
    console.trace = (msg, ...params) => {
      log(levels.TRACE, msg, ...params);
    };
  } else {
    console.trace = NopLog;
  }
  if (levels.DEBUG.priority >= awsLambdaLogLevel.priority) {
    console.debug = (msg, ...params) => {
      log(levels.DEBUG, msg, ...params);
    };
  } else {
    console.debug = NopLog;
  }
  if (levels.INFO.priority >= awsLambdaLogLevel.priority) {
    console.info = (msg, ...params) => {
      log(levels.INFO, msg, ...params);
    };
  } else {
    console.info = NopLog;
  }
  console.log = console.info;
  if (levels.WARN.priority >= awsLambdaLogLevel.priority) {
    console.warn = (msg, ...params) => {
      log(levels.WARN, msg, ...params);
    };
  } else {
    console.warn = NopLog;
  }
  if (levels.ERROR.priority >= awsLambdaLogLevel.priority) {
    console.error = (msg, ...params) => {
      log(levels.ERROR, msg, ...params);
    };
  } else {
    console.error = NopLog;
  }
  console.fatal = (msg, ...params) => {
    log(levels.FATAL, msg, ...params);
  };
}
module.exports = {
  setCurrentRequestId: _currentRequestId.set,
  patchConsole: () => {
    let isJson = process.env["AWS_LAMBDA_LOG_FORMAT"]?.toUpperCase() === "JSON";
    _patchConsoleWith(isJson ? logJsonToStdout : logTextToStdout);
  }
};
