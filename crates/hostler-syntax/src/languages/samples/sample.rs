use std::fmt::{self, Display};

pub const LIMIT: usize = 3;

/// Walks.
#[derive(Debug, Clone)]
pub struct Big {
    a: i64,
}

impl Display for Big {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.a)
    }
}

impl Big {
    pub async fn walk(&self, mut a: i64, b: Option<i64>) -> i64 {
        let Some(c) = b else { return self.a };
        if a > 0 {
            for x in 0..c {
                match x {
                    1 => a -= 1,
                    _ => {}
                }
            }
        } else if a < 0 {
            loop {
                break;
            }
        }
        let twice = |y: i64| if y > 0 { y * 2 } else { 0 };
        if let Err(_error) = f() {}
        match g() {
            Ok(x) => a = x,
            Err(_) => (),
        }
        println!("done {a}");
        twice(a)
    }

    fn stub(&self) -> i64 {
        todo!()
    }
}

pub trait Saver {
    fn save(&self, a: i64);
    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        assert_eq!(1, 1);
    }
}
