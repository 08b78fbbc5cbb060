/** The entry point: puts the UI into the page. */
import { render } from "preact";
import { App } from "./app.tsx";

render(<App />, document.querySelector("#app")!);
