#include <vector>
#pragma once
namespace a::b { inline namespace v1 {
template <typename T, std::size_t N = 4, template <class...> class C = std::vector>
requires std::integral<T> && (N > 0)
class Graph final : public virtual Base<T>, private Other {
 public:
  explicit Graph(std::initializer_list<T> items) noexcept(true) : Base<T>{items}, items_(items) {}
  Graph(const Graph &) = delete;
  virtual ~Graph() override = default;
  [[nodiscard]] constexpr auto operator<=>(const Graph &other) const -> std::strong_ordering;
  template <class F> decltype(auto) each(F &&f) & { for (auto &&[key, value] : items_) { if constexpr (N > 2) f(key); } }
  operator bool() const { return !items_.empty(); }
 private:
  C<T> items_{}; static inline int count = 0'1;
};
} }
using namespace std::literals;
enum class Color : unsigned char { red, green };
auto text = R"x(raw "text" )" )x"; auto big = 1'000'000ull;
int run(int argc) try {
  auto f = [&, n = 1](auto x) mutable -> int { return x >> n; };
  std::vector<std::vector<int>> grid; co_await f(1);
  try { throw std::runtime_error("TODO"); } catch (const std::exception &e) {} catch (...) { throw; }
  return static_cast<int>(sizeof...(argc)) + new int[3]{1, 2}[0];
} catch (...) { return 1; }
