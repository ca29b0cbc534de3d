/// The version of this package.
package let packageVersion = "unreleased"
