#include "emulator/Tools/DebugAdapter.h"

#include "emulator/Debug/Dap/Messages.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace tilerig::emulator {

namespace {

// A file descriptor that is closed at the end.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  int get() const { return number; }

private:
  int number;
};

// Reads the requests of a client in a thread of its own, so that a movement notices that the client wants it to stop.
class Requests {
public:
  explicit Requests(int input) : input(input) {
    if (::pipe(wake) == 0)
      thread = std::thread([this] { read(); });
    else
      close(internalError("debug adapter", "no pipe can be opened"));
  }
  ~Requests() {
    if (!thread.joinable())
      return;
    ::close(wake[1]); // ends the thread
    thread.join();
    ::close(wake[0]);
  }
  Requests(const Requests &) = delete;

  // Waits for the next request; none if the client has hung up, or after an error.
  std::optional<Json> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return isClosed || !requests.empty(); });
    if (requests.empty())
      return {};
    Json request = std::move(requests.front());
    requests.pop_front();
    return request;
  }
  bool wantsToStop() {
    const std::lock_guard lock(mutex);
    return isClosed || std::ranges::any_of(requests, [](const Json &request) {
             const auto command = request.find("command");
             return command != request.end() &&
                    (*command == "pause" || *command == "disconnect" || *command == "terminate");
           });
  }
  Status status() {
    const std::lock_guard lock(mutex);
    return outcome;
  }

private:
  void read() {
    MessageReader reader;
    char buffer[65536];
    for (;;) {
      pollfd waited[] = {{input, POLLIN, 0}, {wake[0], POLLIN, 0}};
      if (::poll(waited, 2, -1) < 0 && errno != EINTR)
        return close(success());
      if (waited[1].revents != 0)
        return close(success());
      if ((waited[0].revents & POLLNVAL) != 0) // standard input is closed
        return close(success());
      if (waited[0].revents == 0)
        continue;
      const ssize_t count = ::read(input, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return close(reader.end());
      reader.add({buffer, static_cast<size_t>(count)});
      for (;;) {
        auto message = reader.next();
        if (!message)
          return close(std::move(message).error());
        if (!*message)
          break;
        const std::lock_guard lock(mutex);
        requests.push_back(**std::move(message));
        changed.notify_one();
      }
    }
  }
  void close(Status status) {
    const std::lock_guard lock(mutex);
    isClosed = true;
    outcome = std::move(status);
    changed.notify_one();
  }

  const int input;
  int wake[2];
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Json> requests;
  bool isClosed = false;
  Status outcome = success();
  std::thread thread;
};

// Returns false if the client does not listen any more.
bool writeAll(int output, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(output, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

Error socketError(uint16_t port) {
  return invalidInput(fmt::format("port {}", port),
                      fmt::format("it cannot be used: {}", std::strerror(errno)), "choose another port");
}

} // namespace

Status serveAdapter(const AdapterLoader &load, int input, int output) {
  if (::fcntl(input, F_GETFD) < 0) // closed from the beginning
    return success();
  std::signal(SIGPIPE, SIG_IGN); // a client that hangs up ends the session, not the process
  Requests requests(input);
  DapServer server(
      [&](const Json &arguments) { return load(arguments, [&] { return requests.wantsToStop(); }); });
  bool listens = true;
  while (listens && !server.isDone()) {
    const std::optional<Json> request = requests.next();
    if (!request)
      return requests.status();
    server.handle(*request,
                  [&](const Json &message) { listens = listens && writeAll(output, framed(message)); });
  }
  return success();
}

Status serveAdapterOn(const AdapterLoader &load, uint16_t port, const std::function<void()> &announce) {
  const Descriptor listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  if (listening.get() < 0 || ::setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listening.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
      ::listen(listening.get(), 1) != 0)
    return socketError(port);
  announce();
  const Descriptor client(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (client.get() < 0)
    return socketError(port);
  return serveAdapter(load, client.get(), client.get());
}

} // namespace tilerig::emulator
