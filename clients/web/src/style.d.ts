/** In the element the style is a text (build.mjs). */
declare module "*.css" {
  const text: string;
  export default text;
}
