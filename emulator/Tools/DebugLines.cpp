#include "emulator/Tools/DebugLines.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <editline/readline.h>
#include <iostream>
#include <sstream>

namespace tilerig::emulator {

namespace {

const Console *completing = nullptr; // for the functions that libedit calls

// Called by libedit for one completion after the other; `state` is 0 for the first.
char *nextCompletion(const char *, int state) {
  static std::vector<std::string> words;
  static size_t next = 0;
  if (state == 0) {
    const std::string line = rl_line_buffer;
    const auto end = static_cast<size_t>(rl_point);
    const size_t blank = line.substr(0, end).find_last_of(" \t");
    words = completing->completionsOf(line.substr(0, end), blank == std::string::npos ? 0 : blank + 1);
    next = 0;
  }
  return next < words.size() ? strdup(words[next++].c_str()) : nullptr;
}

char **completionsOf(const char *text, int, int) {
  rl_attempted_completion_over = 1; // no names of files
  return rl_completion_matches(text, nextCompletion);
}

class TypedLines final : public DebugLines {
public:
  explicit TypedLines(const Console &console) {
    completing = &console;
    static char name[] = "tilerig";
    static char blanks[] = " \t";
    rl_readline_name = name;
    rl_basic_word_break_characters = blanks;
    rl_attempted_completion_function = completionsOf;
    using_history();
  }
  std::optional<std::string> next() override {
    clearInterrupt();
    char *typed = readline("(tilerig) ");
    for (; !typed && wasInterrupted(); typed = readline("(tilerig) ")) { // the line is given up
      clearInterrupt();
      std::cout << std::endl;
    }
    if (!typed)
      return {};
    std::string line = typed;
    std::free(typed);
    if (!line.empty())
      add_history(line.c_str());
    return line;
  }
};

class TextLines final : public DebugLines {
public:
  explicit TextLines(std::istream &stream) : stream(stream) {}
  explicit TextLines(const std::string &text) : own(text), stream(own) {}
  std::optional<std::string> next() override {
    std::string line;
    while (std::getline(stream, line)) {
      const size_t begin = line.find_first_not_of(" \t\r");
      if (begin != std::string::npos && line[begin] != '#')
        return line;
    }
    return {};
  }

private:
  std::istringstream own;
  std::istream &stream;
};

volatile std::sig_atomic_t interrupted = 0;

} // namespace

void catchInterrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
}
bool wasInterrupted() { return interrupted != 0; }
void clearInterrupt() { interrupted = 0; }

std::unique_ptr<DebugLines> typedLines(const Console &console) {
  return std::make_unique<TypedLines>(console);
}
std::unique_ptr<DebugLines> linesOf(const std::string &text) { return std::make_unique<TextLines>(text); }
std::unique_ptr<DebugLines> linesOfInput() { return std::make_unique<TextLines>(std::cin); }

} // namespace tilerig::emulator
