/// HAR 1.2 as a JSON schema, written from the text of the format. Strict: nothing may be there that the format does not
/// know, but fields whose name starts with an underscore, and those only where readers let them be.
enum HARSchema {
  static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "required": ["log"],
      "additionalProperties": false,
      "properties": {"log": {"$ref": "#/$defs/log"}},
      "$defs": {
        "size": {"type": "integer", "minimum": -1},
        "optionalTime": {"type": "number", "minimum": -1},
        "time": {"type": "number", "minimum": 0},
        "dateTime": {
          "type": "string",
          "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"
        },
        "url": {
          "type": "string",
          "pattern": "^(https?://([!$&-.0-;=A-Z_a-z~]|%[0-9A-Fa-f]{2}|\\[[0-9A-Fa-f:.]+\\])*(/([!$&-;=@-Z_a-z~]|%[0-9A-Fa-f]{2})*)?(\\?([!$&-;=?-Z_a-z~]|%[0-9A-Fa-f]{2})*)?|about:blank)$"
        },
        "log": {
          "type": "object",
          "required": ["version", "creator", "entries"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "version": {"const": "1.2"},
            "creator": {"$ref": "#/$defs/creator"},
            "browser": {"$ref": "#/$defs/creator"},
            "pages": {"type": "array", "maxItems": 0},
            "entries": {"type": "array", "items": {"$ref": "#/$defs/entry"}},
            "comment": {"type": "string"}
          }
        },
        "creator": {
          "type": "object",
          "required": ["name", "version"],
          "additionalProperties": false,
          "properties": {
            "name": {"type": "string", "minLength": 1},
            "version": {"type": "string", "minLength": 1},
            "comment": {"type": "string"}
          }
        },
        "entry": {
          "type": "object",
          "required": ["startedDateTime", "time", "request", "response", "cache", "timings"],
          "additionalProperties": false,
          "properties": {
            "pageref": {"type": "string"},
            "startedDateTime": {"$ref": "#/$defs/dateTime"},
            "time": {"$ref": "#/$defs/time"},
            "request": {"$ref": "#/$defs/request"},
            "response": {"$ref": "#/$defs/response"},
            "cache": {"type": "object", "additionalProperties": false},
            "timings": {"$ref": "#/$defs/timings"},
            "serverIPAddress": {"anyOf": [{"type": "string", "format": "ipv4"}, {"type": "string", "format": "ipv6"}]},
            "connection": {"type": "string", "minLength": 1},
            "comment": {"type": "string"}
          }
        },
        "timings": {
          "type": "object",
          "required": ["send", "wait", "receive"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "blocked": {"$ref": "#/$defs/optionalTime"},
            "dns": {"$ref": "#/$defs/optionalTime"},
            "connect": {"$ref": "#/$defs/optionalTime"},
            "ssl": {"$ref": "#/$defs/optionalTime"},
            "send": {"$ref": "#/$defs/time"},
            "wait": {"$ref": "#/$defs/time"},
            "receive": {"$ref": "#/$defs/time"},
            "comment": {"type": "string"}
          }
        },
        "request": {
          "type": "object",
          "required":
            ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "method": {"type": "string"},
            "url": {"$ref": "#/$defs/url"},
            "httpVersion": {"type": "string"},
            "cookies": {"type": "array", "items": {"$ref": "#/$defs/cookie"}},
            "headers": {"type": "array", "items": {"$ref": "#/$defs/pair"}},
            "queryString": {"type": "array", "items": {"$ref": "#/$defs/pair"}},
            "postData": {"$ref": "#/$defs/postData"},
            "headersSize": {"$ref": "#/$defs/size"},
            "bodySize": {"$ref": "#/$defs/size"},
            "comment": {"type": "string"}
          }
        },
        "response": {
          "type": "object",
          "required":
            ["status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
             "bodySize"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "status": {"type": "integer", "minimum": 0},
            "statusText": {"type": "string"},
            "httpVersion": {"type": "string"},
            "cookies": {"type": "array", "items": {"$ref": "#/$defs/cookie"}},
            "headers": {"type": "array", "items": {"$ref": "#/$defs/pair"}},
            "content": {"$ref": "#/$defs/content"},
            "redirectURL": {"type": "string"},
            "headersSize": {"$ref": "#/$defs/size"},
            "bodySize": {"$ref": "#/$defs/size"},
            "comment": {"type": "string"}
          }
        },
        "pair": {
          "type": "object",
          "required": ["name", "value"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "name": {"type": "string"}, "value": {"type": "string"}, "comment": {"type": "string"}
          }
        },
        "cookie": {
          "type": "object",
          "required": ["name", "value"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "name": {"type": "string"}, "value": {"type": "string"}, "path": {"type": "string"},
            "domain": {"type": "string"}, "expires": {"$ref": "#/$defs/dateTime"}, "httpOnly": {"type": "boolean"},
            "secure": {"type": "boolean"}, "comment": {"type": "string"}
          }
        },
        "postData": {
          "type": "object",
          "required": ["mimeType", "text"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "mimeType": {"type": "string"}, "text": {"type": "string"}, "comment": {"type": "string"}
          }
        },
        "content": {
          "type": "object",
          "required": ["size", "mimeType"],
          "additionalProperties": false,
          "patternProperties": {"^_wire": true},
          "properties": {
            "size": {"$ref": "#/$defs/size"},
            "compression": {"type": "integer"},
            "mimeType": {"type": "string"},
            "text": {"type": "string"},
            "encoding": {"const": "base64"},
            "comment": {"type": "string"}
          }
        }
      }
    }
    """#
}
