// Tests of the report page in a headless browser: it shows the counts that the library computes.
#include "verify/Page/Page.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/Folders.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <cstring>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sstream>

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
  // The elements of the page (DOM) after its script has run.
  static std::string browse(const std::string &file, const std::string &address) {
    Outcome outcome = runProgram({"chromium", "--headless", "--no-sandbox", "--disable-gpu",
                                  "--virtual-time-budget=5000", "--dump-dom", "file://" + file + address});
    EXPECT_EQ(outcome.exitCode, 0) << "scripts/setup installs chromium\n" << outcome.errors;
    return outcome.output;
  }
  static size_t occurrences(std::string_view text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
  static std::vector<Json> linesOf(const std::string &file) {
    std::vector<Json> lines;
    std::istringstream text(*readText(file));
    for (std::string line; std::getline(text, line);)
      lines.push_back(Json::parse(line, nullptr, false));
    return lines;
  }
  static std::string recordKind(const Json &record) { return record["record"]; }
  // The part of the page from the element with this id up to the text `end`.
  static std::string partOf(const std::string &page, const std::string &id, const std::string &end) {
    const size_t begin = page.find("id=\"" + id + "\"");
    return begin == page.npos ? "" : page.substr(begin, page.find(end, begin) - begin);
  }
  static std::vector<std::string> namesInTable(const std::string &page) {
    const std::string rows = partOf(page, "overview", "</tbody>");
    std::vector<std::string> names;
    const std::string mark = "<td><button type=\"button\">";
    for (size_t at = rows.find(mark); at != rows.npos; at = rows.find(mark, at + 1))
      names.push_back(rows.substr(at + mark.size(), rows.find('<', at + mark.size()) - at - mark.size()));
    return names;
  }
  static std::string inHtml(std::string text) {
    for (const auto &[from, to] : {std::pair("&", "&amp;"), {"<", "&lt;"}, {">", "&gt;"}})
      for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + std::strlen(to)))
        text.replace(at, 1, to);
    return text;
  }
  // A copy of the page with another script appended.
  std::string pageWith(const std::string &report, const std::string &script) const {
    std::string page = *readText(report);
    page.replace(page.find("</body>"), 7, "<script>" + script + "</script></body>");
    EXPECT_TRUE(writeText(path("more.html"), page));
    return path("more.html");
  }
  Outcome checkDigits(std::vector<std::string> more) const {
    more.insert(more.begin(),
                {commandFolder() + "/tilerig-check", test::sourceFolder() + "/models/digits/digits.onnx",
                 "--input-shape", "image=1x1x8x8", "--precision", "int8", "--tiles", "4", "--report",
                 path("out")});
    return runProgram(more);
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
  // The count that the page shows for a subset of the elements (such as those that failed): "12" or "12–34",
  // as two numbers.
  static std::pair<int, int> rangeIn(const std::string &page, const char *subset) {
    const std::string mark = fmt::format("id=\"count-{}\">", subset);
    const size_t begin = page.find(mark) + mark.size();
    std::string words = page.substr(begin, page.find('<', begin) - begin);
    std::erase(words, ',');
    const size_t dash = words.find("–");
    const int least = std::stoi(words);
    return {least, dash == words.npos ? least : std::stoi(words.substr(dash + std::strlen("–")))};
  }
  static std::string countsOf(const Json &layer) {
    return fmt::format("{} {} {} ", layer["discarded"].get<int>(), layer["passed"].get<int>(),
                       layer["failed"].get<int>());
  }

  TemporaryFolder folder;
};

TEST_F(Page, CountsAtAnyEdgeAreThoseOfTheLibrary) {
  verify({"--report", path("out")});
  struct Limits {
    const char *oom, *rel;
  };
  for (const auto &[oom, rel] : {Limits{"100", "3"}, {"200", "0.001"}, {"1", "10000"}, {"8", "12.5"}})
    for (int layer : {0, 1}) {
      SCOPED_TRACE(fmt::format("layer {}, {} and {} %", layer, oom, rel));
      const Json run = verify({"--oom-limit", oom, "--rel-err", rel});
      const std::string page =
          browse(path("out/report.html"), fmt::format("#layer={}&oom={}&rel={}", layer, oom, rel));
      EXPECT_EQ(countsIn(page), countsOf(run["layers"][static_cast<size_t>(layer)]));
    }
}

// Limits may lie inside a bin of the error grid. At the limits of the run, the page counts exactly as the
// library does. At other limits, it shows a range that contains the library's count.
TEST_F(Page, LimitsAreAnyNumbers) {
  verify({"--report", path("out")});
  Json run = verify({"--oom-limit", "150", "--rel-err", "330", "--report", path("exact")});
  EXPECT_EQ(countsIn(browse(path("exact/report.html"), "#layer=0")), countsOf(run["layers"][0]));
  for (const char *rel : {"7", "22", "330", "480"}) {
    SCOPED_TRACE(rel);
    run = verify({"--oom-limit", "150", "--rel-err", rel});
    const std::string address = fmt::format("#layer=0&oom=150&rel={}", rel);
    const std::string page = browse(path("out/report.html"), address);
    for (const char *subset : {"discarded", "passed", "failed"}) {
      const auto [least, most] = rangeIn(page, subset);
      EXPECT_LE(least, run["layers"][0][subset].get<int>()) << subset;
      EXPECT_GE(most, run["layers"][0][subset].get<int>()) << subset;
    }
    EXPECT_NE(page.find(fmt::format("--oom-limit 150 --rel-err {} to count exactly", rel)),
              std::string::npos);
  }
}

// Types a limit that is no position of the slider, and then an invalid one.
TEST_F(Page, LimitsAreTyped) {
  verify({"--report", path("out")});
  std::string page = *readText(path("out/report.html"));
  page.replace(page.find("</body>"), 7, R"(<script>
    for (const value of ["480", "-3", ""]) {
      const field = document.getElementById("rel-number");
      field.value = value;
      field.dispatchEvent(new Event("input"));
    }
    document.title = `${location.hash} slider at ${grid.relativeEdges[document.getElementById("rel").value]}`;
    </script></body>)");
  ASSERT_TRUE(writeText(path("typed.html"), page));
  EXPECT_NE(browse(path("typed.html"), "#layer=0")
                .find("<title>#layer=0&amp;oom=100&amp;rel=480&amp;side=bits&amp;rows=wrong slider at 500<"),
            std::string::npos);
}

// Moves the sliders as a user does, and sorts the table.
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

// The NaN at index 77, in images of 30 x 30, is at row 2, column 17.
TEST_F(Page, MapAndProfileSayWhere) {
  verify({"--report", path("out")});
  const std::string page = browse(path("out/report.html"), "#layer=0");
  EXPECT_NE(
      page.find("Largest error NaN or infinite only in reference or target, first at row 2, column 17;"),
      std::string::npos);
  const size_t profile = page.find("id=\"profile\"");
  ASSERT_NE(profile, std::string::npos);
  EXPECT_EQ(occurrences(page.substr(profile, page.find("</div>", profile) - profile), "<span"),
            4u); // the page draws one mark for each of the four channels
  EXPECT_NE(page.find("title=\"channel 0: NaN or infinite only in reference or target"), std::string::npos);
  EXPECT_EQ(page.find("id=\"timeline\"><h2"), std::string::npos); // only `tilerig check` draws a timeline
}

TEST_F(Page, KeysLeadToTheNextLayer) {
  verify({"--report", path("out")});
  std::string page = *readText(path("out/report.html"));
  page.replace(page.find("</body>"), 7,
               R"(<script>dispatchEvent(new KeyboardEvent("keydown", {key: "n"}));</script></body>)");
  ASSERT_TRUE(writeText(path("moved.html"), page));
  EXPECT_NE(browse(path("moved.html"), "#layer=0").find("<h2>eight [5]</h2>"), std::string::npos);
}

// The report of `tilerig check` also shows when and where each layer ran, and why it ran there, and compares
// the program with the original model.
TEST_F(Page, OfACheck) {
  const Outcome checked =
      runProgram({commandFolder() + "/tilerig-check", test::sourceFolder() + "/models/digits/digits.onnx",
                  "--input-shape", "image=1x1x8x8", "--precision", "int8", "--tiles", "8", "--mode", "timed",
                  "--report", path("out")});
  ASSERT_EQ(checked.exitCode, 0) << checked.errors;
  const std::vector<Json> records = linesOf(path("out/records.jsonl"));
  const auto clock = std::ranges::find(records, "clock", recordKind);
  ASSERT_NE(clock, records.end());
  std::vector<Json> layers;
  std::ranges::copy_if(records, std::back_inserter(layers),
                       [](const Json &record) { return record["record"] == "layer"; });
  const auto position = std::ranges::find_if(layers, [](const Json &layer) {
    return layer["truth"].is_object() && countsOf(layer["truth"]) != countsOf(layer) &&
           !layer["decisions"].empty();
  });
  ASSERT_NE(position, layers.end());
  const Json &layer = *position;
  const std::string address = fmt::format("#layer={}&side=truth", position - layers.begin());
  const std::string page = browse(path("out/report.html"), address);

  EXPECT_EQ(countsIn(page), countsOf(layer["truth"]));
  EXPECT_NE(page.find("id=\"map\""), std::string::npos);
  const std::string timeline = page.substr(page.find("id=\"timeline\""));
  EXPECT_EQ(occurrences(timeline, "class=\"track\""), (*clock)["layers"].size());
  for (const auto &[decision, why] : layer["decisions"].items())
    EXPECT_NE(page.find(fmt::format("<td>{}</td><td>{}</td>", decision, why.get<std::string>())),
              std::string::npos);
  const size_t numTiles = layer["tiles"].size();
  ASSERT_GT(numTiles, 0u);
  EXPECT_NE(
      page.find(fmt::format("{} {} the layer", numTiles, numTiles == 1 ? "tile computes" : "tiles compute")),
      std::string::npos);
  EXPECT_NE(page.find("<title>tilerig check: digits.onnx</title>"), std::string::npos);
  EXPECT_NE(page.find("layers checked as rounded: all right"), std::string::npos);
  EXPECT_NE(page.find("Emitted layers in floats, compared with the original model"), std::string::npos);
  EXPECT_NE(page.find("Emitted layers in their precision, compared with the same layers in floats"),
            std::string::npos);
}

// A check of several steps lists each step after the first, with the first tensor that differs.
TEST_F(Page, OfALoop) {
  const std::string model = path("speech.onnx");
  ASSERT_EQ(runProgram({commandFolder() + "/tilerig-zoo", "gru_speech", "-o", model}).exitCode, 0);
  const std::vector<std::string> check = {commandFolder() + "/tilerig-check",
                                          model,
                                          "--tiles",
                                          "4",
                                          "--loop",
                                          "3",
                                          "--state",
                                          "next_state=state",
                                          "--report",
                                          path("out")};
  const Outcome right = runProgram(check);
  ASSERT_EQ(right.exitCode, 0) << right.errors;
  const std::string page = browse(path("out/report.html"), "");
  EXPECT_NE(page.find("2 further steps checked: all right"), std::string::npos);
  for (const char *row : {"<td>1</td><td>match</td>", "<td>2</td><td>match</td>"})
    EXPECT_NE(page.find(row), std::string::npos) << row;

  std::vector<std::string> wrong = check;
  wrong.insert(wrong.end(), {"--inject", "bias-missing"});
  ASSERT_EQ(runProgram(wrong).exitCode, 1);
  const std::vector<Json> records = linesOf(path("out/records.jsonl"));
  const auto step = std::ranges::find(records, "step", recordKind);
  ASSERT_NE(step, records.end());
  EXPECT_NE(browse(path("out/report.html"), "")
                .find(fmt::format("<td>1</td><td>mismatch</td><td>{}</td>",
                                  step->at("first_wrong").get<std::string>())),
            std::string::npos);
}

// The verdict on a bug is shown beside its layer and at the top of the page.
TEST_F(Page, Verdicts) {
  const Outcome checked =
      runProgram({commandFolder() + "/tilerig-check", test::sourceFolder() + "/models/digits/digits.onnx",
                  "--input-shape", "image=1x1x8x8", "--precision", "int8", "--tiles", "4", "--inject",
                  "pad-amount", "--report", path("out")});
  ASSERT_EQ(checked.exitCode, 1) << checked.errors;
  const std::vector<Json> records = linesOf(path("out/records.jsonl"));
  const auto wrong = std::ranges::find_if(
      records, [](const Json &record) { return record.value("status", "") == "mismatch"; });
  ASSERT_NE(wrong, records.end());
  const Json &verdict = (*wrong)["verdict"];
  const auto network = std::ranges::find(records, "verdict", recordKind);
  ASSERT_NE(network, records.end());

  const std::string page = browse(path("out/report.html"), "");
  for (const Json &one : verdict["top"])
    EXPECT_NE(
        page.find(fmt::format("<td>{}</td><td>{}</td><td>{:.1f}&nbsp;%</td>", one["class"].get<std::string>(),
                              one["words"].get<std::string>(), 100 * one["probability"].get<double>())),
        std::string::npos)
        << one;
  ASSERT_GT(verdict["attribution"]["classes"].size(), 0u);
  for (const Json &part : verdict["attribution"]["classes"])
    EXPECT_NE(page.find(fmt::format("<td>{}</td><td>{:.1f}&nbsp;%</td><td>{}</td><td>{}</td><td>{}",
                                    part["class"].get<std::string>(), 100 * part["share"].get<double>(),
                                    part["failed"].dump(), part["elements"].dump(),
                                    part["explained_by"][0]["words"].get<std::string>())),
              std::string::npos)
        << part;
  EXPECT_NE(page.find(fmt::format("<td>unexplained</td><td>{:.1f}&nbsp;%</td>",
                                  100 * verdict["attribution"]["unexplained"]["share"].get<double>())),
            std::string::npos);
  for (const Json &reason : verdict["evidence"])
    EXPECT_NE(page.find(fmt::format("<td>{}</td><td>{}</td>", reason["name"].get<std::string>(),
                                    reason["words"].get<std::string>())),
              std::string::npos)
        << reason;
  EXPECT_NE(page.find(fmt::format("verdict on {}: ", (*network)["layer"].get<std::string>())),
            std::string::npos);
}

// A program with a race whose results happen to be right: every row matches, but the page shows first the
// race that the analyser found.
TEST_F(Page, ProvedFaultsComeFirst) {
  const Outcome checked = checkDigits({"--inject", "wait-deleted", "--inject-seed", "3"});
  ASSERT_EQ(checked.exitCode, 1) << checked.errors;
  const std::string page = browse(path("out/report.html"), "");
  const std::string alarm = partOf(page, "alarm", "<div id=\"warning\"");
  EXPECT_NE(alarm.find("synchronisation, proved by the analyser"), alarm.npos) << alarm;
  size_t findings = 0, drawings = 0;
  for (const Json &record : linesOf(path("out/records.jsonl"))) {
    if (record["record"] != "finding")
      continue;
    ++findings;
    drawings += record.contains("diagram");
    EXPECT_NE(alarm.find(inHtml(record["reason"])), alarm.npos) << record;
    for (const Json &place : record["places"])
      EXPECT_NE(alarm.find("<li>" + inHtml(place["words"]) + "</li>"), alarm.npos) << place;
  }
  EXPECT_GT(findings, 0u);
  EXPECT_GT(drawings, 0u);
  EXPECT_EQ(occurrences(alarm, "src=\"data:image/svg+xml,"), drawings);
  EXPECT_EQ(alarm.find("no_error"), alarm.npos);
  EXPECT_LT(page.find("id=\"alarm\""), page.find("id=\"overview\""));
}

// The drawings lead from the first failing layer to the instruction and the tile that made it wrong.
TEST_F(Page, DrawsTheNetworkAndTheTiles) {
  const Outcome checked = checkDigits({"--inject", "bias-missing", "--debug", path("debug")});
  ASSERT_EQ(checked.exitCode, 1) << checked.errors;
  const std::vector<Json> records = linesOf(path("out/records.jsonl"));
  const Json debug = *std::ranges::find(records, "debug", recordKind);
  std::vector<Json> layers;
  std::ranges::copy_if(records, std::back_inserter(layers),
                       [](const Json &one) { return one["record"] == "layer"; });
  const auto wrong = std::ranges::find(layers, debug["layer"], [](const Json &one) { return one["layer"]; });
  ASSERT_NE(wrong, layers.end()) << debug;
  const std::string page = browse(path("out/report.html"), "");
  const std::string strip = partOf(page, "overview", "first-wrong");
  EXPECT_EQ(occurrences(strip, "class=\"square "), layers.size());
  EXPECT_EQ(occurrences(strip, "aria-current=\"true\""), 1u);
  const std::string graph = page.substr(page.find("<svg class=\"graph\""));
  EXPECT_EQ(occurrences(graph, "class=\"box wrong own\""), 1u);
  for (const Json &source : (*wrong)["sources"])
    EXPECT_NE(graph.find(fmt::format("<title>{}: match</title>", source.get<std::string>())), graph.npos)
        << source;
  EXPECT_GE(occurrences(graph, "class=\"edge\""), (*wrong)["sources"].size());
  const size_t map = page.find("<svg class=\"tiles\"");
  const std::string tiles = page.substr(map, page.find("<script", map) - map);
  EXPECT_EQ(occurrences(tiles, "<g class=\"tile"), 4u);
  EXPECT_EQ(occurrences(tiles, " guilty\""), 1u);
  uint64_t elements = 0, different = 0;
  for (const Json &tile : (*wrong)["held_by"]) {
    elements += tile[1].get<uint64_t>();
    different += tile[2].get<uint64_t>();
    EXPECT_NE(tiles.find(fmt::format("{} of {} elements are wrong", tile[2].get<uint64_t>(),
                                     tile[1].get<uint64_t>())),
              tiles.npos);
  }
  EXPECT_EQ(elements, (*wrong)["elements"].get<uint64_t>());
  EXPECT_EQ(different, (*wrong)["different"].get<uint64_t>());
  EXPECT_NE(tiles.find(fmt::format("Tile {} (bold frame)", debug["tile"].get<uint32_t>())), tiles.npos);
  EXPECT_NE(tiles.find("<pre>" + inHtml(debug["instruction_text"]) + "</pre>"), tiles.npos);
  // A box of the drawing opens its tensor.
  const std::string source = (*wrong)["sources"].back();
  const std::string moved = browse(
      pageWith(
          path("out/report.html"),
          fmt::format(
              "[...document.querySelectorAll('.graph .box')].find((box) => box.textContent.startsWith('{}:'))"
              ".dispatchEvent(new Event('click'));",
              source)),
      "");
  EXPECT_NE(moved.find("<h2>" + source + " ["), moved.npos);
  // A right tensor is held by tiles, too, and none of them is to blame.
  const std::string right = moved.substr(moved.find("<svg class=\"tiles\""));
  EXPECT_NE(right.find(" tiles hold its result."), right.npos);
  EXPECT_EQ(right.substr(0, right.find("<script")).find("guilty"), right.npos);
}

TEST_F(Page, ACorrectRunHasNoAlarm) {
  const Outcome checked = checkDigits({});
  ASSERT_EQ(checked.exitCode, 0) << checked.errors;
  const std::string page = browse(path("out/report.html"), "");
  EXPECT_EQ(page.find("class=\"alarm\""), page.npos);
  EXPECT_EQ(page.find("class=\"warning\""), page.npos);
  EXPECT_EQ(page.find("id=\"first-wrong\""), page.npos);
  EXPECT_EQ(namesInTable(page).size(),
            static_cast<size_t>(std::ranges::count(linesOf(path("out/records.jsonl")), "layer", recordKind)));
}

TEST_F(Page, LostAccuracyIsAWarning) {
  ASSERT_EQ(checkDigits({}).exitCode, 0);
  std::vector<Json> lines = linesOf(path("out/records.jsonl"));
  std::vector<nlohmann::ordered_json> records;
  for (const Json &line : lines)
    records.push_back(nlohmann::ordered_json::parse(line.dump()));
  records.insert(records.end() - 1, nlohmann::ordered_json{{"record", "accuracy"},
                                                           {"poor", 3},
                                                           {"of", 7},
                                                           {"below_db", 10},
                                                           {"worst", "fc1"},
                                                           {"worst_db", 1.25},
                                                           {"lost_at", {"conv1", "fc1"}},
                                                           {"advice", "calibrate on real inputs"}});
  ASSERT_TRUE(writeText(path("warned.html"), verify::asPage(records)));
  const std::string warning = partOf(browse(path("warned.html"), ""), "warning", "<p id=\"run\"");
  for (const char *words : {"3 of 7 tensors have a signal-to-noise ratio below 10 dB", "fc1 with 1.3 dB",
                            "Accuracy is lost at conv1, fc1.", "What to do: calibrate on real inputs."})
    EXPECT_NE(warning.find(words), warning.npos) << warning;
}

// If a run is wrong, only the wrong rows are shown and the first is opened; all rows are shown on request.
TEST_F(Page, WrongRowsComeFirst) {
  const Outcome checked = checkDigits({"--inject", "bias-missing"});
  ASSERT_EQ(checked.exitCode, 1) << checked.errors;
  std::vector<std::string> wrong, all;
  for (const Json &record : linesOf(path("out/records.jsonl")))
    if (record["record"] == "layer") {
      all.push_back(record["name"]);
      if (record["status"] != "match" && record["status"] != "inherited")
        wrong.push_back(record["name"]);
    }
  ASSERT_FALSE(wrong.empty());
  ASSERT_LT(wrong.size(), all.size());
  const std::string report = path("out/report.html"), page = browse(report, "");
  EXPECT_EQ(namesInTable(page), wrong);
  EXPECT_NE(page.find("First wrong: " + wrong.front()), page.npos);
  EXPECT_NE(page.find("<h2>" + wrong.front() + " ["), page.npos);
  const std::string layer = page.substr(page.find("id=\"layer\""));
  EXPECT_LT(layer.find("<h3>Verdict</h3>"), layer.find("id=\"map\""));
  EXPECT_LT(layer.find("id=\"map\""), layer.find("id=\"plot\""));
  EXPECT_EQ(namesInTable(browse(report, "#rows=all")), all);
  EXPECT_EQ(namesInTable(browse(pageWith(report, "document.getElementById('all-rows').click();"), "")), all);
  // A button and a key jump back to the first wrong row from anywhere.
  const std::string away = "#layer=" + std::to_string(all.size() - 1) + "&rows=all";
  for (const char *jump : {"document.getElementById('first-wrong').click();",
                           "dispatchEvent(new KeyboardEvent('keydown', {key: 'w'}));"})
    EXPECT_NE(browse(pageWith(report, jump), away).find("<h2>" + wrong.front() + " ["), page.npos) << jump;
}

TEST_F(Page, TellsWhereCyclesGo) {
  ASSERT_EQ(checkDigits({"--mode", "timed"}).exitCode, 0);
  const std::vector<Json> records = linesOf(path("out/records.jsonl"));
  const Json clock = *std::ranges::find(records, "clock", recordKind);
  uint64_t onPath = 0;
  for (const Json &part : clock["critical_path"])
    onPath += part["cycles"].get<uint64_t>();
  EXPECT_EQ(onPath, clock["cycles"].get<uint64_t>());
  for (const Json &layer : clock["layers"])
    EXPECT_GE(layer["alone_cycles"], layer["bound_cycles"]) << layer;
  const std::string page = browse(path("out/report.html"), "");
  const std::string overview = partOf(page, "overview", "</thead>");
  for (const char *title : {">cycles<", ">cycles alone<", ">limited by<", ">lost cycles<"})
    EXPECT_NE(overview.find(title), overview.npos) << title;
  const std::string timeline = page.substr(page.find("id=\"timeline\""));
  EXPECT_NE(timeline.find("layers that take longest"), timeline.npos);
  const std::string path = timeline.substr(timeline.find("Critical path"));
  EXPECT_NE(path.find(clock["critical_path"][0]["name"].get<std::string>()), path.npos);
}

TEST_F(Page, NothingIsFetched) {
  verify({"--report", path("out")});
  std::string page = *readText(path("out/report.html"));
  const std::string name =
      "\"http://www.w3.org/2000/svg\""; // the name of SVG's elements, which is not an address
  page.erase(page.find(name), name.size());
  for (const char *word : {"http:", "https:", "src=", "href=", "import ", "fetch("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

} // namespace
} // namespace tilerig::test
