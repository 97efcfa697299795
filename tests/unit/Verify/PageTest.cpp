// The report page in a browser without a window: what it shows is what the library counts.
#include "isa/Support/File.h"
#include "isa/Tensor/Npz.h"
#include "tests/unit/Support/TemporaryFolder.h"
#include "tests/unit/Tools/RunProgram.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;

class Page : public testing::Test {
protected:
  Page() {
    Tensor r(DType::f32, {1, 4, 30, 30}), t = r;
    for (size_t i = 0; i < r.elementCount(); ++i) {
      const auto x = static_cast<double>(i * 2654435761 % 100003) / 100003;
      const auto y = static_cast<double>(i * 40503 % 65537) / 65537;
      r.mutableAs<float>()[i] = i % 11 ? static_cast<float>(std::exp(8 * x - 8)) : 0;
      t.mutableAs<float>()[i] =
          i % 13 ? r.as<float>()[i] * static_cast<float>(1 + std::exp(12 * y - 10)) : 0.01f;
    }
    t.mutableAs<float>()[77] = std::numeric_limits<float>::quiet_NaN();
    const auto q = Tensor::of<int8_t>({5}, {100, 50, 20, 0, 1});
    const auto p = Tensor::of<int8_t>({5}, {100, 51, 27, 1, 1});
    save("r.npz", {{"conv </script><b>", r}, {"eight", q}, {"gone", q}});
    save("t.npz", {{"conv </script><b>", t}, {"eight", p}});
  }

  std::string path(const std::string &name) const { return folder.path(name); }
  void save(const std::string &file, const std::vector<NamedTensor> &entries) {
    TensorMap map;
    for (const NamedTensor &entry : entries)
      EXPECT_TRUE(map.add(entry.name, entry.tensor));
    EXPECT_TRUE(writeNpz(path(file), map));
  }
  Json verify(std::vector<std::string> words) {
    words.insert(words.begin(), {commandFolder() + "/tilerig-verify", "--json", "--reference", path("r.npz"),
                                 "--target", path("t.npz")});
    return Json::parse(runProgram(words).output, nullptr, false);
  }
  // The page's elements after its script ran.
  static std::string browse(const std::string &file, const std::string &address) {
    Outcome outcome = runProgram({"chromium", "--headless", "--no-sandbox", "--disable-gpu",
                                  "--virtual-time-budget=5000", "--dump-dom", "file://" + file + address});
    EXPECT_EQ(outcome.exitCode, 0) << "scripts/setup installs chromium\n" << outcome.errors;
    return outcome.output;
  }
  static std::string countsIn(const std::string &page) {
    std::string counts;
    for (const char *subset : {"discarded", "passed", "failed"}) {
      const std::string mark = fmt::format("id=\"count-{}\">", subset);
      const size_t begin = page.find(mark);
      if (begin == std::string::npos)
        return "there is no " + mark;
      for (size_t i = begin + mark.size(); page[i] != '<'; ++i)
        if (page[i] != ',')
          counts += page[i];
      counts += ' ';
    }
    return counts;
  }
  static std::string countsOf(const Json &layer) {
    return fmt::format("{} {} {} ", layer["discarded"].get<int>(), layer["passed"].get<int>(),
                       layer["failed"].get<int>());
  }

  TemporaryFolder folder;
};

TEST_F(Page, CountsAtAnyStopAreThoseOfTheLibrary) {
  verify({"--report", path("out")});
  // Stops of the sliders by their index: ten to a decade, from 1 and from 0.001 %.
  struct Stop {
    size_t oom, rel;
    const char *oomLimit, *relErr;
  };
  for (const Stop &stop :
       {Stop{20, 35, "100", "3"}, {23, 0, "200", "0.001"}, {0, 70, "1", "10000"}, {9, 41, "8", "12.5"}})
    for (int layer : {0, 1}) {
      SCOPED_TRACE(fmt::format("layer {}, {} and {} %", layer, stop.oomLimit, stop.relErr));
      const Json run = verify({"--oom-limit", stop.oomLimit, "--rel-err", stop.relErr});
      const std::string page =
          browse(path("out/report.html"), fmt::format("#layer={}&oom={}&rel={}", layer, stop.oom, stop.rel));
      EXPECT_EQ(countsIn(page), countsOf(run["layers"][static_cast<size_t>(layer)]));
    }
}

// Moves the sliders as a reader does, and sorts the table.
TEST_F(Page, SlidersAndSorting) {
  verify({"--report", path("out")});
  std::string page = *readText(path("out/report.html"));
  const std::string moves = R"(<script>
    for (const [id, value] of [["oom", 23], ["rel", 38]]) {
      const slider = document.getElementById(id);
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }
    for (const button of document.querySelectorAll("th button"))
      if (button.textContent === "elements") button.click();
    </script></body>)";
  page.replace(page.find("</body>"), 7, moves);
  ASSERT_TRUE(writeText(path("moved.html"), page));
  const std::string moved = browse(path("moved.html"), "#layer=0");
  const Json run = verify({"--oom-limit", "200", "--rel-err", "6"});
  EXPECT_EQ(countsIn(moved), countsOf(run["layers"][0]));
  const Json &bucket = run["layers"][0]["buckets"][5];
  EXPECT_NE(moved.find(fmt::format("<td>5 %</td><td>{}</td><td>{}</td>", bucket["all"].get<int>(),
                                   bucket["in_limit"].get<int>())),
            std::string::npos);
  EXPECT_NE(moved.find("aria-sort=\"ascending\"><button type=\"button\">elements"), std::string::npos);
  const size_t table = moved.find("<tbody>");
  EXPECT_LT(moved.find(">eight<", table), moved.find(">conv &lt;/script&gt;&lt;b&gt;<", table));
  EXPECT_NE(moved.find(">conv &lt;/script&gt;&lt;b&gt;<", table), std::string::npos);
}

TEST_F(Page, ATensorWithoutPartnerHasALineAndNoPicture) {
  verify({"--report", path("out")});
  const std::string page = browse(path("out/report.html"), "#layer=2");
  EXPECT_NE(page.find("status missing"), std::string::npos);
  EXPECT_EQ(page.find("<canvas"), std::string::npos);
}

TEST_F(Page, NothingIsFetched) {
  verify({"--report", path("out")});
  const std::string page = *readText(path("out/report.html"));
  for (const char *word : {"http:", "https:", "src=", "href=", "import ", "fetch("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

} // namespace
} // namespace tilerig::test
