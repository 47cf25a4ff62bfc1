#include <string>
namespace n {
class Big : public Base, private Other {
public:
  int pub(int a = 1) const { return this->x + a; }
  virtual void v() = 0;
  Big() = default;
private:
  void priv() {}
  int x;
};
void Big::out(int a) {
  try { f(); } catch (const std::exception &e) { } catch (...) { throw; }
  auto g = [&](int y) { if (y) { return 1; } return 0; };
  throw std::logic_error("not implemented");
}
}
