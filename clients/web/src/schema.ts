/** JSON Schemas as a game's description has them: of Positions and of options. */

/** The parts of JSON Schema that descriptions use. */
export interface Schema {
  $ref?: string;
  description?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  enum?: (string | number | boolean)[];
  /** which has the names of the enum's words */
  catalogue?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | false;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

export class Schemas {
  constructor(readonly schema: Schema) {}

  resolved(part: Schema): Schema {
    let found = part;
    while (found.$ref !== undefined) found = this.schema.$defs?.[found.$ref.slice(found.$ref.lastIndexOf("/") + 1)] ?? {};
    return found;
  }

  /** The schema of what is at a path; lists are gone through, whether the path names a place in them or not. */
  at(path: readonly string[]): Schema {
    let part = this.resolved(this.schema);
    for (const name of path) {
      if (part.type === "array") {
        part = this.resolved(part.items ?? {});
        if (/^\d+$/.test(name)) continue;
      }
      part = this.resolved(part.properties?.[name] ?? (part.additionalProperties || {}));
    }
    return part;
  }

  /** The least that fits a schema. */
  blank(part: Schema): unknown {
    const schema = this.resolved(part);
    const usual = part.default ?? schema.default;
    if (usual !== undefined) return usual;
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.type === "object") return Object.fromEntries((schema.required ?? []).map((field) => [field, this.blank(schema.properties?.[field] ?? {})]));
    return { integer: schema.minimum ?? 0, boolean: false, array: [], string: "" }[schema.type ?? ""];
  }
}
