import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One HTML file with everything in it: the program carries it, and `scree view --html` puts a run inside.
export default defineConfig({
  plugins: [viteSingleFile()],
  build: { target: "es2022", modulePreload: false },
});
