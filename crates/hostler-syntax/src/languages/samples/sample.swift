import Foundation
class Big: Base, P {
    static let maxRetries = 3
    let apiKey = "secret123"
    @objc func walk(_ a: Int, b: String = "x") async throws -> Int {
        guard a > 0 else { return 1 }
        if a > 0 { for x in y { switch a { case 1: f(); default: g() } } }
        else if a < 0 { h() }
        do { try f() } catch is E { } catch { print("hi \(a)"); throw error }
        let c = items.map { x in if x { return 1 } else { return 2 } }
        return self.z
    }
    init(x: Int) { self.x = x }
    private func stub() -> Int { fatalError("not implemented") }
}
extension Big { func more() {} }
protocol P { func sig() -> Int }
