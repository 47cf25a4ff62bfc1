const fs = require("fs");

module.exports.walk = function (a, b = "x") {
  if (a) {
    for (let i = 0; i < a; i++) {
      do {
        a--;
      } while (a);
    }
  }
  const helper = () => {
    if (b === "y") {
      throw new Error("TODO");
    }
  };
  return new Promise(helper);
};

class Big {
  #secret() {}
  static of() {
    return this;
  }
}
