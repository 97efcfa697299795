// The fuzzing main() for compilers without libFuzzer: feeds the corpus to a fuzzer, then random mutations of
// it.
//
// Input number N of seed S depends only on (S, N) and the corpus, so any input can be generated again on its
// own. If an input stops the fuzzer (a signal, a sanitizer's report, a timeout or too much memory), the
// driver reports S and N and saves the input in the current folder to be replayed:
//
//   fuzz-npy --seed 7 --runs 1000000         a bounded campaign
//   fuzz-npy --seed 7 --first 4711 --runs 1  input 4711 again
//   fuzz-npy --runs 0 crash-fuzz-npy-7-4711  a saved input again
#include "tests/fuzz/Fuzz.h"
#include "tests/fuzz/Mutate.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" __attribute__((weak)) void tilerigSeeds(SeedSink &) {}
// Optional hook of libFuzzer: a custom mutator, for fuzzers that know the structure of their inputs.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                                                unsigned seed);

// A sanitizer's report ends in abort(), so that it is handled like a failed assertion.
extern "C" const char *__asan_default_options() {
  return "abort_on_error=1:handle_abort=0:allocator_may_return_null=0:max_allocation_size_mb=1024:"
         "hard_rss_limit_mb=4096";
}
extern "C" const char *__ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

#if defined(__SANITIZE_ADDRESS__)
static constexpr bool sanitized = true;
#else
static constexpr bool sanitized = false;
#endif

using tilerig::fuzz::Bytes;
namespace fs = std::filesystem;

struct Options {
  uint64_t seed = 1, first = 0, runs = 10000, seconds = 10, megabytes = 1024, limit = 1 << 20;
  std::vector<std::string> paths;
};

// The input that is running, and the name of the crash file and the message for this input. The signal
// handler may use only these three variables and system calls.
static const Bytes *currentInput = nullptr;
static char crashFile[256];
static char crashMessage[512];

static void describeInput(const char *program, const Options &options, const char *phase, uint64_t number) {
  std::snprintf(crashFile, sizeof crashFile, "crash-%s-%llu-%s%llu", program,
                static_cast<unsigned long long>(options.seed), phase,
                static_cast<unsigned long long>(number));
  std::snprintf(crashMessage, sizeof crashMessage,
                "\n%s: failed at seed %llu, %s %llu; the input is saved in %s\n", program,
                static_cast<unsigned long long>(options.seed), *phase ? "corpus input" : "run",
                static_cast<unsigned long long>(number), crashFile);
}

static void say(const char *text) {
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

static void onSignal(int signal) {
  say(crashMessage);
  if (signal == SIGPROF)
    say("it took longer than --seconds: a hang\n");
  if (int file = ::open(crashFile, O_WRONLY | O_CREAT | O_TRUNC, 0644); file >= 0 && currentInput) {
    [[maybe_unused]] auto written = ::write(file, currentInput->data(), currentInput->size());
    ::close(file);
  }
  ::_exit(77);
}

static void watch(const Options &options) {
  static char stack[1 << 16]; // stack of the signal handler, also usable after a stack overflow
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGABRT, SIGPROF})
    ::sigaction(signal, &action, nullptr);
  if (sanitized)
    return; // the sanitizer reports bad accesses and limits memory itself
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    ::sigaction(signal, &action, nullptr);
  rlimit memory = {options.megabytes << 20, options.megabytes << 20};
  ::setrlimit(RLIMIT_AS, &memory);
}

// Limits the processor time of an input; wall time would report hangs on a busy machine. Zero lifts the
// limit.
static void limitTime(uint64_t seconds) {
  itimerval limit = {};
  limit.it_value.tv_sec = static_cast<time_t>(seconds);
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

static void feed(const Bytes &input, const Options &options) {
  Bytes exact(input); // a heap block of exactly the input's size: a sanitizer sees reads past its end
  exact.shrink_to_fit();
  currentInput = &exact;
  limitTime(options.seconds);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  limitTime(0);
  currentInput = nullptr;
}

static Bytes readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(stream), {});
}

// The corpus: the fuzzer's own seeds, then the given files. Files of a folder come in the order of their
// names.
static std::vector<Bytes> gatherCorpus(const Options &options) {
  SeedSink sink;
  tilerigSeeds(sink);
  for (const std::string &path : options.paths) {
    std::vector<fs::path> files;
    if (fs::is_directory(path))
      std::ranges::copy_if(fs::directory_iterator(path), std::back_inserter(files),
                           [](const fs::path &file) { return fs::is_regular_file(file); });
    else
      files.push_back(path);
    std::ranges::sort(files);
    for (const fs::path &file : files)
      sink.seeds.push_back(readFile(file));
  }
  return std::move(sink.seeds);
}

static bool parse(int count, char **arguments, Options &options) {
  const std::pair<std::string_view, uint64_t *> flags[] = {
      {"--seed", &options.seed},       {"--first", &options.first},         {"--runs", &options.runs},
      {"--seconds", &options.seconds}, {"--megabytes", &options.megabytes}, {"--limit", &options.limit}};
  for (int index = 1; index < count; ++index) {
    std::string_view argument = arguments[index];
    if (!argument.starts_with("--")) {
      if (!fs::exists(argument))
        return false;
      options.paths.emplace_back(argument);
      continue;
    }
    auto flag = std::ranges::find(flags, argument, [](auto &entry) { return entry.first; });
    if (flag == std::end(flags) || ++index == count)
      return false;
    std::string_view value = arguments[index];
    auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), *flag->second);
    if (code != std::errc() || end != value.data() + value.size())
      return false;
  }
  return true;
}

// Makes an input by mutation. Where the fuzzer has a custom mutator, this mutator makes every second input on
// average.
static Bytes makeInput(const std::vector<Bytes> &corpus, tilerig::fuzz::Random &random, size_t limit) {
  if (!LLVMFuzzerCustomMutator || corpus.empty() || random.below(2))
    return tilerig::fuzz::mutate(corpus, random, limit);
  Bytes bytes = corpus[random.below(corpus.size())];
  size_t size = bytes.size();
  bytes.resize(std::max(size, std::min(limit, 2 * size + 4096)));
  bytes.resize(
      LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), static_cast<unsigned>(random.next())));
  return bytes;
}

int main(int count, char **arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    std::fprintf(stderr,
                 "usage: %s [--seed N] [--first N] [--runs N] [--seconds N] [--megabytes N] [--limit BYTES] "
                 "[FILE|FOLDER ...]\n",
                 arguments[0]);
    return 2;
  }
  std::string program = fs::path(arguments[0]).filename().string();
  std::vector<Bytes> corpus = gatherCorpus(options);
  watch(options);
  for (size_t number = 0; number < corpus.size(); ++number) {
    describeInput(program.c_str(), options, "corpus", number);
    feed(corpus[number], options);
  }
  for (uint64_t number = options.first; number - options.first < options.runs; ++number) {
    describeInput(program.c_str(), options, "", number);
    tilerig::fuzz::Random random(options.seed * 0xD1342543DE82EF95 ^ number * 0x2545F4914F6CDD1D);
    feed(makeInput(corpus, random, options.limit), options);
  }
  std::printf("%s: %zu corpus inputs and %llu mutations of seed %llu, no finding\n", program.c_str(),
              corpus.size(), static_cast<unsigned long long>(options.runs),
              static_cast<unsigned long long>(options.seed));
  return 0;
}
