// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Page.h"
#include "LargeProgram.h"
#include "SampleProgram.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace smp;
using nlohmann::json;

namespace {

std::string pageOf(const Program &program, const std::string &title = "p",
                   bool hasWeights = true) {
  auto page = drawPage(program, {hasWeights}, title, {});
  EXPECT_TRUE(page.ok()) << page.status().message();
  return page.ok() ? page.take() : std::string();
}

/// What the script gets.
json dataOf(const std::string &page) {
  const std::string begin = "id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at), nullptr,
                     /*allow_exceptions=*/false);
}

/// Every element that is opened is closed, in order; scripts and styles are not
/// looked into.
void expectBalanced(const std::string &html) {
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos;
       at = html.find('<', at + 1)) {
    if (!open.empty() && (open.back() == "script" || open.back() == "style"))
      at = html.find("</" + open.back(), at);
    const size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '!' || name == "meta" || tag.back() == '/')
      continue;
    if (tag[0] != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    ASSERT_EQ("/" + open.back(), tag);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(Page, IsWholeAndNeedsNothingElse) {
  SampleProgram sample;
  sample.program.entries[0].graph.ops[1].name = "</script><b>&\"dense'\xff";
  sample.program.entries[0].outputs[0].name = "<i>";
  const std::string page = pageOf(sample.program, "a & <b>");
  expectBalanced(page);
  EXPECT_NE(page.find("<title>a &amp; &lt;b&gt;</title>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  for (const char *outside : {"src=", "href=", "@import", "url(#)", "import("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  const json data = dataOf(page);
  ASSERT_TRUE(data.is_object());
  EXPECT_EQ(data["entries"][0]["ops"][1]["name"],
            "</script><b>&\"dense'\xef\xbf\xbd");
}

TEST(Page, IsTheSameEachTime) {
  SampleProgram sample;
  enlarge(sample.program);
  EXPECT_EQ(pageOf(sample.program), pageOf(sample.program));
}

TEST(Page, AProgramWithoutGraphOrTimesIsDrawn) {
  SampleProgram sample;
  sample.program.entries[0].graph = {};
  for (Stage &stage : sample.program.stages)
    stage.predictedSeconds = 0;
  const std::string page = pageOf(sample.program, "p", false);
  EXPECT_NE(page.find("of weights that are not there."), std::string::npos);
  const json data = dataOf(page);
  EXPECT_EQ(data["entries"][0]["scopes"], json::array());
  EXPECT_EQ(data["entries"][0]["timelines"][0]["seconds"], 0);
  expectBalanced(pageOf(Program()));
}

} // namespace
