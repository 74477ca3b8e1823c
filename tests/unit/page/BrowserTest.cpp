// SPDX-License-Identifier: Apache-2.0
// Pages in a browser without a screen: what is drawn, and what becomes of it
// when somebody clicks.
#include "LargeProgram.h"
#include "SampleProgram.h"
#include "smp/tools/Page.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace smp;
using nlohmann::json;

namespace {

/// A browser's command, or nothing.
std::string findBrowser() {
  std::stringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char *name : {"chromium", "chromium-browser", "google-chrome"})
      if (std::filesystem::exists(folder + "/" + name))
        return folder + "/" + name;
  return "";
}

void insertBefore(std::string &page, const std::string &tag,
                  const std::string &text) {
  const size_t at = page.rfind(tag);
  ASSERT_NE(at, std::string::npos);
  page.insert(at, text);
}

void replaceAll(std::string &text, const std::string &from,
                const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Tools for the scripts of the tests.
constexpr char kTools[] = R"js(
const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
const click = element =>
    element.dispatchEvent(new MouseEvent('click', {bubbles: true}));
const button = text => all('button').find(b => b.textContent === text);
const scope = name => all('[data-scope]').find(
    g => g.querySelector(':scope > .head').textContent.endsWith(' ' + name));
const hover = element => {
  element.dispatchEvent(new MouseEvent('mousemove', {bubbles: true}));
  return document.getElementById('tip').textContent;
};
const isInside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 &&
    a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
    a.top < b.bottom - 1 && b.top < a.bottom - 1;
// The frames of boxes that are beside each other, by what they are in.
const frame = g => g.querySelector(':scope > rect').getBoundingClientRect();
const siblings = () => all('svg g').map(
    g => all(':scope > .op, :scope > .scope, :scope > .end, :scope > .border', g).map(frame));
const numOverlaps = () => siblings().reduce((sum, boxes) => sum + boxes.reduce(
    (n, a, i) => n + boxes.slice(i + 1).filter(b => overlap(a, b)).length, 0), 0);
const numOutside = () => all('.scope.open').reduce((sum, g) => sum +
    all('.op, .scope, .border', g).filter(b => !isInside(frame(b), frame(g))).length, 0);
// Ends of lines that are far from every box beside them.
const numLoose = () => all('.wire').filter(path => {
  const svg = path.ownerSVGElement, m = path.getScreenCTM();
  const boxes = all(':scope > .op, :scope > .scope, :scope > .end, :scope > .border',
                    path.parentElement).map(frame);
  return [0, path.getTotalLength()].some(at => {
    const p = path.getPointAtLength(at).matrixTransform(m);
    return !boxes.some(b => p.x >= b.left - 3 && p.x <= b.right + 3 &&
                            p.y >= b.top - 3 && p.y <= b.bottom + 3);
  });
}).length;
)js";

class Browser : public testing::Test {
protected:
  void SetUp() override {
    browser = findBrowser();
    // Whoever builds smp need not have a browser; utils/install-deps has one.
    if (browser.empty())
      GTEST_SKIP() << "no browser: install chromium";
    folder = std::filesystem::path(testing::TempDir()) /
             ("page" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    // Where processes are fenced in, browsers do not start at all: that says
    // nothing of our pages. One that shows this page is asked for all others.
    if (show("<p>smp</p>").find("smp") == std::string::npos)
      GTEST_SKIP() << browser << " shows no page at all on this machine";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// What the script, the body of a function, returns on the page, without a
  /// network; what went wrong before is in "errors".
  json ask(std::string page, const std::string &script) {
    insertBefore(page, "<title>",
                 "<script>window.errors = []; window.onerror = text => "
                 "errors.push(text);</script>");
    insertBefore(page, "</body>",
                 "<pre id=\"answer\"></pre><script>" + std::string(kTools) +
                     "const answer = (() => {" + script +
                     "})();\nanswer.errors = errors;\nanswer.fetched = "
                     "performance.getEntriesByType('resource').length;\n"
                     "document.getElementById('answer').textContent = "
                     "JSON.stringify(answer);</script>");
    const std::string text = show(page);
    const std::string begin = "<pre id=\"answer\">";
    const size_t at = text.find(begin);
    const size_t end = text.find("</pre>", at);
    if (at == std::string::npos || end == std::string::npos)
      return "no answer";
    std::string answer =
        text.substr(at + begin.size(), end - at - begin.size());
    replaceAll(answer, "&lt;", "<");
    replaceAll(answer, "&gt;", ">");
    replaceAll(answer, "&amp;", "&");
    return json::parse(answer, nullptr, /*allow_exceptions=*/false);
  }

private:
  /// What has become of the page once its scripts have run.
  std::string show(const std::string &page) {
    std::ofstream(folder / "page.html") << page;
    const std::string command =
        "timeout 120 " + browser +
        " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        "--window-size=1400,1000 --host-resolver-rules='MAP * ~NOTFOUND' "
        "--user-data-dir=" +
        (folder / "profile").string() + " --dump-dom file://" +
        (folder / "page.html").string() + " 2>/dev/null";
    std::string text;
    FILE *pipe = popen(command.c_str(), "r");
    char buffer[65536];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, count);
    pclose(pipe);
    return text;
  }

  std::string browser;
  std::filesystem::path folder;
};

std::string pageOf(const Program &program,
                   const std::vector<MeasuredStep> &measured = {}) {
  auto page = drawPage(program, {true}, "p", measured);
  EXPECT_TRUE(page.ok()) << page.status().message();
  return page.ok() ? page.take() : std::string();
}

TEST_F(Browser, DrawsWhoDecidedAndWhenStagesRun) {
  SampleProgram sample;
  // Shown twice as long as the whole expected step.
  const MeasuredStep measured{{{0, 0, 0, 8e-6}, {1, 0, 8e-6, 16e-6}}};
  const json answer = ask(pageOf(sample.program, {measured}), R"js(
    const predict = document.getElementById('entry-0');
    return {
      drawn: document.documentElement.dataset.drawn,
      ops: all('.op', predict).map(g => hover(g.querySelector('rect'))),
      crossing: all('.wire.crossing', predict).length,
      heads: all('svg .head', predict).map(t => t.textContent),
      spans: all('.span', predict).map(g => [g.querySelector('rect').getAttribute('y') | 0,
                                             hover(g.querySelector('rect'))]),
      loads: all('.loads tr', predict).map(r => r.textContent),
      memory: all('.memory tr').length,
      steps: all('#entry-1 .span').length,
      overlaps: numOverlaps(), loose: numLoose(),
    };)js");
  ASSERT_TRUE(answer.is_object()) << answer;
  EXPECT_EQ(answer["errors"], json::array());
  EXPECT_EQ(answer["fetched"], 0);
  EXPECT_EQ(answer["drawn"], "yes");
  ASSERT_EQ(answer["ops"].size(), 2u);
  EXPECT_EQ(answer["ops"][0],
            "dot dense\npartition 0, pinned by a person\ntakes f32[2x4] x\n"
            "takes f32[4x4]\nmakes f32[2x4] h\nreads through read w");
  EXPECT_EQ(answer["ops"][1], "relu act2\npartition 1, chosen by the solver\n"
                              "takes f32[2x4] h\nmakes f32[2x4] y");
  EXPECT_EQ(answer["crossing"], 1);
  ASSERT_EQ(answer["heads"].size(), 2u);
  EXPECT_EQ(answer["heads"][1], "measured: 16.0 us, 1 microbatches");
  // One microbatch of two stages each, the measured ones below.
  ASSERT_EQ(answer["spans"].size(), 4u);
  EXPECT_LT(answer["spans"][1][0], answer["spans"][2][0]);
  EXPECT_EQ(answer["spans"][3][1],
            "predict.1, forward, microbatch 0\n8.00 us to 16.0 us: 8.00 us");
  ASSERT_EQ(answer["loads"].size(), 3u);
  EXPECT_NE(answer["loads"][1].get<std::string>().find("8.00 us, 50.0 %"),
            std::string::npos)
      << answer["loads"];
  EXPECT_EQ(answer["memory"], 2);
  EXPECT_EQ(answer["steps"], 2 * 4 + 1);
  EXPECT_EQ(answer["overlaps"], 0);
  EXPECT_EQ(answer["loose"], 0);
}

TEST_F(Browser, ScopesOpenAndCloseInALargeGraph) {
  SampleProgram sample;
  enlarge(sample.program);
  const json answer = ask(pageOf(sample.program), R"js(
    const state = () => ({ops: all('.op').length, scopes: all('.scope').length,
                          open: all('.scope.open').length, overlaps: numOverlaps(),
                          outside: numOutside(), loose: numLoose()});
    document.getElementById('entry-1').remove();
    const result = {first: state(), layer: hover(scope('layer3').querySelector('rect'))};
    click(scope('layer3'));
    result.layer3 = state();
    click(scope('attention'));
    result.attention = state();
    const pinned = all('.op.user');
    result.pinned = pinned.map(g => hover(g.querySelector('rect')));
    click(scope('layer3').querySelector(':scope > .title'));
    result.closed = state();
    const search = document.querySelector('input[type=search]');
    search.value = 'layer30/mlp/op2';
    search.dispatchEvent(new Event('change'));
    result.found = all('.found').map(g => g.textContent);
    const first = frame(document.querySelector('.found'));
    result.isSeen = isInside(first, document.querySelector('.sheet').getBoundingClientRect());
    click(button('open all'));
    result.all = state();
    const width = document.querySelector('.sheet svg').getBoundingClientRect().width;
    click(button('+'));
    result.larger = document.querySelector('.sheet svg').getBoundingClientRect().width / width;
    click(button('close all'));
    result.none = state();
    return result;)js");
  ASSERT_TRUE(answer.is_object()) << answer;
  EXPECT_EQ(answer["errors"], json::array());
  auto state = [](unsigned ops, unsigned scopes, unsigned open) {
    return json{{"ops", ops},    {"scopes", scopes}, {"open", open},
                {"overlaps", 0}, {"outside", 0},     {"loose", 0}};
  };
  EXPECT_EQ(answer["first"], state(0, 40, 0));
  EXPECT_EQ(answer["layer"], "layer3\n50 ops on partition 0");
  EXPECT_EQ(answer["layer3"], state(0, 42, 1));
  EXPECT_EQ(answer["attention"], state(25, 42, 2));
  ASSERT_EQ(answer["pinned"].size(), 1u);
  EXPECT_NE(answer["pinned"][0].get<std::string>().find(
                "partition 0, pinned by a person\nthe pin costs 2.50 ms per "
                "microbatch\n"),
            std::string::npos)
      << answer["pinned"][0];
  EXPECT_EQ(answer["closed"], state(0, 40, 0));
  // op2 and op20 to op24.
  EXPECT_EQ(answer["found"].size(), 6u);
  EXPECT_EQ(answer["isSeen"], true);
  EXPECT_EQ(answer["all"], state(kLargeOps, 120, 120));
  EXPECT_NEAR(answer["larger"].get<double>(), 1.25, 1e-6);
  EXPECT_EQ(answer["none"], state(0, 40, 0));
}

} // namespace
