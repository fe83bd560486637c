//! The frame of all pages: one document that needs nothing else, and text as it may stand in it.
//!
//! A page loads nothing: its policy forbids all but its own style and its one script, which is
//! named by its digest; one that a server shows may also ask that server. Names reach it rendered
//! as for a terminal and then escaped, as text only, never as markup or script.

use pfh_digest::Algorithm;
use pfh_source::terminal;

/// Colours follow the reader's choice of light or dark; paper is always light. Drawings are not
/// made smaller than their words can be read: they scroll.
const STYLE: &str = ":root{color-scheme:light dark;--back:#fff;--text:#222;--quiet:#555;--rule:#ddd;--field:#fafafa;--dot:#258;--link:#4a7;--edge:#3a8a60;\
--good:#176b2c;--bad:#b3142e;--open:#8a5a00}\
@media(prefers-color-scheme:dark){:root{--back:#16181b;--text:#e4e4e4;--quiet:#a5a5a5;--rule:#3a3d42;--field:#1e2125;--dot:#8bc2f0;--link:#5b8;--edge:#5b8;\
--good:#6fd08c;--bad:#ff8595;--open:#e8b964}}\
body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:var(--text);background:var(--back)}\
h1{font-size:1.6em}h2{font-size:1.2em;margin-top:2em}h3{font-size:1em;margin:1.4em 0 .3em}\
table{border-collapse:collapse;width:100%;margin:.4em 0 1em}\
th,td{padding:.2em .8em;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);overflow-wrap:break-word}\
td.file{min-width:8em;max-width:34em;overflow-wrap:anywhere}\
thead th{cursor:pointer;hyphens:none}thead th:hover{text-decoration:underline}\
:focus-visible{outline:2px solid var(--dot);outline-offset:2px}\
td.n,th.n{text-align:right;white-space:nowrap}caption{text-align:left;color:var(--quiet)}\
figure{margin:1em 0;overflow-x:auto}svg{background:var(--field);max-width:100%;min-width:660px;height:auto}\
text{fill:var(--text);paint-order:stroke;stroke:var(--field);stroke-width:3px}circle,rect{fill:var(--dot)}line{stroke:var(--edge)}circle:hover{stroke:#d0203c;stroke-width:2}\
[data-g]{cursor:pointer}circle.on{fill:#d0203c}text.on{font-weight:bold}tr.on{background:var(--field)}tr.on td{font-weight:bold}\
.quiet{color:var(--quiet)}.digest{font-family:monospace;font-size:.9em;word-break:break-all}td.digest{min-width:12em}\
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}.mark{font-weight:bold;white-space:nowrap}\
svg.places{min-width:0}svg.places .bar{fill:var(--rule)}svg.places polygon{fill:var(--link);fill-opacity:.6;stroke:var(--link);stroke-width:.5}\
ul.facts{padding-left:1.2em;margin:.3em 0}\
input{font:inherit;padding:.3em;width:24em;max-width:100%;margin-bottom:.6em}\
dl.case{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em;margin:.6em 0}dl.case dd{margin:0;overflow-wrap:anywhere}\
li{overflow-wrap:anywhere}details details{margin-left:1em}\
@media(max-width:700px){body{margin:.6em auto;padding:0 .6em;font-size:16px}main{overflow-x:auto}th,td{padding:.3em .5em}\
input{width:100%;box-sizing:border-box}}\
@media print{@page{margin:1.5cm}:root{color-scheme:light;--back:#fff;--text:#000;--quiet:#444;--rule:#bbb;--field:#fff;--dot:#258;--link:#4a7;--edge:#3a8a60;\
--good:#0d4d1d;--bad:#8f0f24;--open:#6b4600}body{margin:0;max-width:none;font-size:11px}input{display:none}\
h2,h3{break-after:avoid}tr,figure{break-inside:avoid}svg{min-width:0;max-width:100%}}";

/// Shows the rows that hold the typed text and are of the relation that was chosen, sorts by the
/// column that is clicked or chosen with Enter, and marks the rows of a group that is clicked in
/// the drawing, and the other way round. Of a long table rows wait in a template, and come to the
/// page as it is scrolled. It listens to the document, so that it serves what takes the place of
/// the page's content as well.
const SCRIPT: &str = "(function(){var D=document,all=function(o,q){return Array.from(o.querySelectorAll(q))};\
function state(t){if(t.rowsOf)return t.rowsOf;var b=t.tBodies[0],p=b.querySelector('template'),a=Array.from(b.rows),n=a.length;\
if(p){a=a.concat(Array.from(p.content.children));p.remove()}return t.rowsOf={body:b,all:a,is:a,shown:n,far:!!p}}\
function show(s,n){s.shown=n;s.body.replaceChildren.apply(s.body,s.is.slice(0,n))}\
function more(){all(D,'table.long').forEach(function(t){var s=state(t);\
if(s.shown<s.is.length&&s.body.getBoundingClientRect().bottom<2*innerHeight){\
s.is.slice(s.shown,s.shown+200).forEach(function(r){s.body.appendChild(r)});s.shown+=200}})}\
function dress(){all(D,'thead th').forEach(function(h){if(h.textContent){h.tabIndex=0}});\
var seen={};all(D,'svg [data-g]').forEach(function(e){if(!seen[e.dataset.g]){seen[e.dataset.g]=1;\
e.setAttribute('tabindex','0');e.setAttribute('role','button');if(!e.textContent&&!e.getAttribute('aria-label'))e.setAttribute('aria-label','group '+e.dataset.g)}});\
all(D,'td[data-g]').forEach(function(e){e.tabIndex=0})}\
window.dressPage=dress;\
D.addEventListener('input',function(e){\
var f=e.target.closest('.filter')||e.target,q=function(s){return f.matches(s)?f:f.querySelector(s)},\
t=q('input').value.toLowerCase(),c=q('select'),w=f.nextElementSibling,s=state(w),n=0;var is=s.all.filter(function(r){\
if(r.low===undefined)r.low=r.textContent.toLowerCase();\
var h=r.low.indexOf(t)>=0&&(!c||!c.value||r.dataset.r==c.value);if(!s.far)r.hidden=!h;n+=h?1:0;return h});\
if(s.far){s.is=is;show(s,200)}\
w.querySelector('caption').textContent=n+' rows'},true);\
D.addEventListener('keydown',function(k){var e=k.target.closest('thead th,[data-g]');\
if(e&&(k.key=='Enter'||k.key==' ')){k.preventDefault();e.dispatchEvent(new MouseEvent('click',{bubbles:true}))}});\
D.addEventListener('scroll',more,{passive:true});\
D.addEventListener('click',function(c){var h=c.target.closest('thead th'),e=c.target.closest('[data-g]');\
if(h){var s=state(h.closest('table')),i=h.cellIndex,d=h.dataset.d=h.dataset.d=='1'?'-1':'1';\
all(h.parentNode,'th').forEach(function(o){o.removeAttribute('aria-sort')});h.setAttribute('aria-sort',d=='1'?'ascending':'descending');\
var keys=s.all.map(function(r){var c=r.cells[i],v=c.dataset.v===undefined?c.textContent:c.dataset.v;return [v,Number(v),r]});\
keys.sort(function(x,y){var n=x[1]-y[1];return d*(isNaN(n)?(x[0]<y[0]?-1:x[0]>y[0]?1:0):n)});\
s.all=keys.map(function(k){return k[2]});\
if(s.far){var in_=new Set(s.is);s.is=s.all.filter(function(r){return in_.has(r)});show(s,200)}\
else s.all.forEach(function(r){s.body.appendChild(r)})}\
if(e){var g=e.dataset.g,row=e.closest('tr'),far=null;\
all(D,'table.long').forEach(function(t){var s=state(t),at=s.is.findIndex(function(r){var o=r.querySelector('[data-g]');return o&&o.dataset.g==g});\
if(!row&&at>=s.shown)show(s,at+200)});\
all(D,'[data-g]').forEach(function(o){\
var s=o.dataset.g==g,t=o.closest('tr');(t||o).classList.toggle('on',s);\
if(s&&!far&&!t!=!row)far=o});if(far)far.scrollIntoView({block:'center'})}});dress()})();";

/// Rows of a long table that are on the page before it is scrolled; the rest waits in a template.
/// The script counts by the same number.
pub const STEP: usize = 200;

/// Takes the content of the page again whenever the server names another version of it, and says
/// when the server does not answer. Filters, sorted columns, opened parts and the place on the
/// screen stay.
const RENEWAL: &str = "(function(){var busy=false,again=false,said=document.getElementById('live'),\
all=function(o,s){return Array.from(o.querySelectorAll(s))},main=function(){return document.querySelector('main')},\
say=function(t,c){said.textContent=t;said.className=c};\
function key(e){for(var n=e;n&&n.tagName!='MAIN';n=n.parentElement)for(var p=n;p;p=p.previousElementSibling)\
if(/^H[23]$/.test(p.tagName))return p.textContent+'/'+(e.cellIndex||0);return ''}\
function put(to){var of=main(),y=scrollY,was={};\
all(of,'input').forEach(function(i){was['i'+key(i)]=i.value});\
all(of,'thead th').forEach(function(h){was['h'+key(h)]=h.dataset.d});\
var open=all(of,'details').map(function(d){return d.open});of.replaceWith(to);\
all(to,'details').forEach(function(d,i){if(i<open.length)d.open=open[i]});\
all(to,'thead th').forEach(function(h){var d=was['h'+key(h)];if(d){if(d=='-1')h.dataset.d='1';h.click()}});\
all(to,'input').forEach(function(i){var t=was['i'+key(i)];\
if(t){i.value=t;i.dispatchEvent(new Event('input',{bubbles:true}))}});\
window.dressPage&&dressPage();scrollTo(scrollX,y)}\
function renew(){if(busy){again=true;return}busy=true;fetch('/',{cache:'no-store'}).then(function(a){\
if(!a.ok)throw a;return a.text()}).then(function(t){\
var to=new DOMParser().parseFromString(t,'text/html').querySelector('main');if(to)put(to)})\
.catch(function(){}).then(function(){busy=false;if(again){again=false;renew()}})}\
function listen(){var e=new EventSource('/events');e.addEventListener('page',function(m){\
say('This page follows the folder.','quiet');if(m.data!=main().dataset.version)renew()});\
e.onerror=function(){say('The server does not answer: this page may be old.','bad mark');\
if(e.readyState==2)setTimeout(listen,5000)}}listen()})();";

/// The whole document; `body` is markup.
pub fn document(title: &str, body: &str) -> String {
    page(title, "", &format!("<main>\n{body}</main>\n"), &[SCRIPT])
}

/// The same document as a server shows it: it takes its content again whenever the server names
/// another version than this one.
pub fn live(title: &str, body: &str, version: &str) -> String {
    let state = "<p id=\"live\" class=\"quiet\">This page is as old as it was loaded: scripts do not run here.</p>\n";
    let version = escape(version);
    let body = format!("{state}<main data-version=\"{version}\">\n{body}</main>\n");
    page(title, "; connect-src 'self'", &body, &[SCRIPT, RENEWAL])
}

/// The policy of a page that a server shows, for the head of its answer.
pub fn live_policy() -> String {
    policy(&[SCRIPT, RENEWAL], "; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
}

/// The permissions of a page: its own style and these scripts, each named by its digest, and
/// `more`.
fn policy(scripts: &[&str], more: &str) -> String {
    let sha256: Option<Algorithm> = "sha256".parse().ok();
    let digest = |script: &&str| {
        let digest = sha256.map(|sha256| data_encoding::BASE64.encode(sha256.digest(script.as_bytes()).bytes()));
        format!("'sha256-{}'", digest.unwrap_or_default())
    };
    let scripts: Vec<String> = scripts.iter().map(digest).collect();
    format!("default-src 'none'; style-src 'unsafe-inline'; script-src {}{more}", scripts.join(" "))
}

fn page(title: &str, more: &str, body: &str, scripts: &[&str]) -> String {
    let (title, policy) = (escape(title), policy(scripts, more));
    let scripts: String = scripts.iter().map(|script| format!("<script>{script}</script>")).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"generator\" content=\"pfh\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1></header>\n{body}{scripts}\n</body>\n</html>\n"
    )
}

/// Text for content and quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A name in such text.
pub fn shown(name: &[u8]) -> String {
    escape(&terminal::render(name))
}

/// Folders in such text, with places where a line may break: behind each slash.
fn breaking(text: &str) -> String {
    let parts: Vec<String> = text.split_inclusive('/').map(escape).collect();
    parts.join("<wbr>")
}

/// A name whose folders stand back. Lines break behind slashes.
pub fn path(name: &[u8]) -> String {
    let text = terminal::render(name);
    match text.rfind('/') {
        Some(at) if at + 1 < text.len() => {
            format!("<span class=\"quiet\">{}</span><wbr>{}", breaking(&text[..=at]), escape(&text[at + 1..]))
        }
        _ => escape(&text),
    }
}

/// The last part of a name, of at most `most` characters: an ellipsis replaces the middle. Not
/// escaped.
pub fn label(name: &[u8], most: usize) -> String {
    let text = terminal::render(name);
    let last: Vec<char> = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().chars().collect();
    if last.len() <= most {
        return last.into_iter().collect();
    }
    let (front, back) = (most.div_ceil(2), most / 2 - 1);
    last[..front].iter().chain(&['…']).chain(&last[last.len() - back..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_text() {
        assert_eq!(shown(b"<b>&'\"\x1b"), "&lt;b&gt;&amp;&#39;&quot;\\x1b");
        assert_eq!(path(b"a/<b>/c"), "<span class=\"quiet\">a/<wbr>&lt;b&gt;/</span><wbr>c");
        assert_eq!(path(b"a/"), "a/");
        assert_eq!(label(b"x/abcdefghij", 10), "abcdefghij");
        assert_eq!(label(b"x/abcdefghijk", 10), "abcde…hijk");
        assert_eq!(label("ä".repeat(30).as_bytes(), 6).chars().count(), 6);
    }

    /// A phone lays a page without it out as wide as a desk, with letters of 6 pixels.
    #[test]
    fn a_phone_shows_it_at_its_own_width() {
        assert!(document("t", "").contains("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"));
        assert!(STYLE.contains("@media(max-width:700px)"));
        assert!(SCRIPT.contains(&format!("show(s,{STEP})")), "the script counts by the same number");
    }

    #[test]
    fn the_policy_names_the_script() {
        let page = document("<t>", "b");
        assert!(page.contains("<title>&lt;t&gt;</title>") && page.contains("script-src 'sha256-"));
        assert_eq!(page.matches("<script>").count(), 1);
    }

    /// Only the page that a server shows asks for anything, and only that server.
    #[test]
    fn a_page_that_lives_asks_its_server_alone() {
        let (file, live) = (document("t", "<p>b</p>\n"), live("t", "<p>b</p>\n", "a\"b"));
        assert!(!file.contains("connect-src") && !file.contains("fetch("));
        assert!(live.contains("; connect-src 'self'\"") && live.contains("data-version=\"a&quot;b\""));
        assert_eq!((live.matches("<script>").count(), live.matches("'sha256-").count()), (2, 2));
        assert!(live_policy().starts_with("default-src 'none'; ") && live_policy().contains("frame-ancestors 'none'"));
        let content = |page: &str| {
            page.split_once("<main")
                .and_then(|(_, rest)| Some(rest.split_once('>')?.1.split("</main>").next()?.to_owned()))
        };
        assert_eq!(content(&file), content(&live));
    }
}
