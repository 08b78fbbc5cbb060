/** The editor of statements and JSON. Its packages are large, so `editor.tsx` loads this file when an editor is shown. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { sql, SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, Prec, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

export type EditorLanguage = "sql" | "json" | "text";

/** The columns of each table. */
export type Tables = Readonly<Record<string, readonly string[]>>;

export interface EditorSetup {
  readonly root: ShadowRoot;
  readonly language: EditorLanguage;
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
  readonly onLeave: () => void;
}

/** The changes that a component may make to an open editor. */
export interface EditorHandle {
  setText(text: string): void;
  setTables(tables: Tables): void;
  /** Marks the word at the position; undefined marks nothing. */
  mark(position: number | undefined): void;
  /** Takes the focus, and selects between two positions of the text. */
  focus(from: number, to: number): void;
  destroy(): void;
}

const KEYWORDS =
  "select distinct from where and or not in is null like ilike between exists case when then else end as on using join inner " +
  "left right full outer cross group by having order asc desc nulls first last limit offset union intersect except all with " +
  "cast interval timestamp true false show tables columns describe over partition";
const FUNCTIONS =
  "count sum avg min max coalesce nullif length substr substring left right replace concat lower upper trim strpos round abs " +
  "floor ceil now age date_bin date_trunc extract date_part to_timestamp array_length first_value";
const TYPES = "varchar text bigint integer int double boolean timestamp";

const DIALECT = SQLDialect.define({ keywords: KEYWORDS, builtin: FUNCTIONS, types: TYPES, identifierQuotes: '"' });

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--succeeded)" },
  { tag: tags.number, color: "var(--running)" },
  { tag: tags.propertyName, color: "var(--text)", fontWeight: "600" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--paused)" },
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
]);

/** The page's custom properties reach into a shadow root. */
const LOOK = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "var(--small)", maxHeight: "inherit" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0", minHeight: "var(--editor-min, 120px)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--dim)", backgroundColor: "var(--panel)", borderRight: "1px solid var(--line)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
  },
  ".cm-placeholder": { color: "var(--dim)" },
  ".cm-wrong": { textDecoration: "underline wavy var(--failed)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--panel)", border: "1px solid var(--edge)" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
});

/**
 * Marks a change of the text that the component itself made, so that the editor does not report it to the component.
 */
const fromOutside = Annotation.define<true>();

const setMark = StateEffect.define<number | undefined>();
const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    for (const effect of effects) if (effect.is(setMark)) return markAt(state, effect.value);
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function markAt(state: EditorState, position: number | undefined): DecorationSet {
  const { length } = state.doc;
  if (position === undefined || length === 0) return Decoration.none;
  const from = Math.min(position, length - 1);
  const word = state.wordAt(from) ?? { from, to: from + 1 };
  return Decoration.set(Decoration.mark({ class: "cm-wrong" }).range(word.from, word.to));
}

export function openEditor(setup: EditorSetup): EditorHandle {
  const language = new Compartment();
  let hasTyped = false;
  const onChange = (text: string): void => {
    hasTyped = true;
    setup.onChange(text);
  };
  const view = new EditorView({
    root: setup.root,
    parent: setup.root,
    state: EditorState.create({
      doc: setup.text,
      extensions: [...baseOf({ ...setup, onChange }), language.of(languageOf(setup.language, {}))],
    }),
  });
  return {
    setText(text) {
      const { doc } = view.state;
      if (doc.toString() === text) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, annotations: fromOutside.of(true) });
    },
    setTables(tables) {
      view.dispatch({ effects: language.reconfigure(languageOf(setup.language, tables)) });
      // The word that the reader types may be the name of a table that was not known until now.
      if (hasTyped && view.hasFocus && Object.keys(tables).length > 0) startCompletion(view);
    },
    mark: (position) => view.dispatch({ effects: setMark.of(position) }),
    focus(from, to) {
      const { length } = view.state.doc;
      view.dispatch({ selection: { anchor: Math.min(from, length), head: Math.min(to, length) } });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function languageOf(language: EditorLanguage, tables: Tables): Extension {
  if (language === "sql") {
    return sql({ dialect: DIALECT, schema: tables as Record<string, readonly string[]> });
  }
  return language === "json" ? json() : [];
}

/**
 * If the browser replaced a selected text that has a colour, it would keep the colour by an inline style, which the content
 * security policy of the page forbids. So the editor replaces a selection itself, and calls the input handlers that the
 * browser's change would have triggered.
 */
const REPLACES_ITSELF = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || empty || view.composing) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handler) => handler(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

function baseOf({ language, label, hint, onChange, onRun, onLeave }: EditorSetup): Extension[] {
  const done = (act: () => void) => () => {
    act();
    return true;
  };
  return [
    // This key comes before the default keys, because Ctrl+Enter as a default key would insert a line.
    Prec.highest(keymap.of([{ key: "Mod-Enter", run: done(onRun) }])),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap]),
    // After the keys of completion, so that Escape closes an open list first.
    keymap.of([{ key: "Escape", run: done(onLeave) }, ...defaultKeymap]),
    history(),
    drawSelection(),
    // Characters that cannot be seen, or turn the direction of writing, are shown as marks.
    highlightSpecialChars(),
    lineNumbers(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    language === "sql" ? autocompletion({ icons: false }) : [],
    syntaxHighlighting(COLOURS),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label }),
    placeholder(hint),
    REPLACES_ITSELF,
    MARKS,
    LOOK,
    EditorView.updateListener.of((update) => {
      const isOwn = update.transactions.some((transaction) => transaction.annotation(fromOutside) === true);
      if (update.docChanged && !isOwn) onChange(update.state.doc.toString());
    }),
  ];
}
